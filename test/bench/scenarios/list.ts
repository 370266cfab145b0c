import { createLargeAccount, type LargeAccount } from '../support/large-account.ts'
import { applyLoad, compare } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

const limit = 10

/** `GET /client/user` on a large account beside the same request on one of 1,000 users; time is 1 / throughput. */
export async function listUsers(setting: Setting): Promise<void> {
  const { postgres, users, databases } = setting
  for (const name of databases) {
    const url = name === 'SQLite' ? newSqliteUrl() : await postgres.createDatabase()
    const small = await createLargeAccount(url, 1000)
    const large = await createLargeAccount(url, users)
    await compareLists(setting, `list, ${name}`, url, { large, small })
  }
}

/** The requests on two accounts of a database. */
export async function compareLists(
  { rounds, seconds }: Pick<Setting, 'rounds' | 'seconds'>,
  name: string,
  url: string,
  accounts: { large: LargeAccount; small: LargeAccount },
): Promise<void> {
  const server = await startServer('servers/clientele.ts', ['fastify', url])
  const middle = ({ users }: LargeAccount) => Math.floor(users / limit / 2)
  const headersOf = ({ apiKey }: LargeAccount) => ({ authorization: `Bearer ${apiKey}` })
  /** What follows the page in the middle, by cursor */
  async function followMiddle(account: LargeAccount): Promise<string> {
    const first = `${server.url}/client/user?limit=${limit}&page=${middle(account)}`
    const { headers } = await fetch(first, { headers: headersOf(account) })
    const next = /<[^>]*[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')
    if (next?.[1] === undefined) throw new Error(`There is no cursor: ${headers.get('link')}`)
    return `cursor=${next[1]}`
  }
  const requests: Record<string, (account: LargeAccount) => string | Promise<string>> = {
    'page 1': () => 'page=1',
    'a page in the middle': (account) => `page=${middle(account)}`,
    'by cursor, in the middle': followMiddle,
    'last page': (account) => `page=${account.users / limit}`,
    'sort=-name, page 1': () => 'sort=-name',
    'sort=email, page 1': () => 'sort=email',
    'email filter': () => 'email=user500@example.com',
    'q filter, one match': () => 'q=user500@',
    'q filter, a word': (account) => `q=${account.users / 2 + 1}`,
    'role filter, 20 matches': () => 'role=rare',
  }
  for (const [request, writeQuery] of Object.entries(requests)) {
    const time = async (account: LargeAccount) => {
      const path = `/client/user?limit=${limit}&${await writeQuery(account)}`
      const headers = headersOf(account)
      return async (duration: number) =>
        1e6 / (await applyLoad(server.url, { path, headers }, duration)).perSecond
    }
    const figures = await compare(
      { large: await time(accounts.large), small: await time(accounts.small) },
      { rounds, seconds, warmupSeconds: 1 },
    )
    const work = `${name}, ${accounts.large.users.toLocaleString('en')} users, ${request}`
    report(work, figures.large ?? [], '1,000 users', figures.small ?? [], 'µs', { atMost: 1.5 })
  }
  await server.stop()
}
