import { createLargeAccount, type LargeAccount } from '../support/large-account.ts'
import { applyLoad, compare } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

const limit = 10

/** `GET /client/user` on a large account beside the same request on one of 1,000 users; time is 1 / throughput. */
export async function listUsers({ postgres, rounds, seconds, users }: Setting): Promise<void> {
  for (const [name, url] of [
    ['SQLite', newSqliteUrl()],
    ['PostgreSQL', await postgres.createDatabase()],
  ] as const) {
    const small = await createLargeAccount(url, 1000)
    const large = await createLargeAccount(url, users)
    const server = await startServer('servers/clientele.ts', ['fastify', url])
    const requests: Record<string, (account: LargeAccount) => string> = {
      'page 1': () => 'page=1',
      'a page in the middle': (account) => `page=${Math.floor(account.users / limit / 2)}`,
      'last page': (account) => `page=${account.users / limit}`,
      'sort=-name, page 1': () => 'sort=-name',
      'sort=email, page 1': () => 'sort=email',
      'email filter': () => 'email=user500@example.com',
      'q filter, one match': () => 'q=user500@',
      'role filter, 20 matches': () => 'role=rare',
    }
    for (const [request, query] of Object.entries(requests)) {
      const time = (account: LargeAccount) => async (duration: number) => {
        const path = `/client/user?limit=${limit}&${query(account)}`
        const headers = { authorization: `Bearer ${account.apiKey}` }
        return 1e6 / (await applyLoad(server.url, { path, headers }, duration)).perSecond
      }
      const figures = await compare(
        { large: time(large), small: time(small) },
        { rounds, seconds, warmupSeconds: 1 },
      )
      const work = `list, ${name}, ${users.toLocaleString('en')} users, ${request}`
      report(work, figures.large ?? [], '1,000 users', figures.small ?? [], 'µs', { atMost: 1.5 })
    }
    await server.stop()
  }
}
