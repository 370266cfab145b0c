import { openClientele } from '../support/clientele.ts'
import { applyLoad, compare, type Load } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl, seedClientele } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

/** `validateToken()` called in process beside the HTTP route, 64 at once in both. */
export async function validateInProcess({ postgres, rounds, seconds }: Setting): Promise<void> {
  for (const [name, url] of [
    ['SQLite', newSqliteUrl()],
    ['PostgreSQL', await postgres.createDatabase()],
  ] as const) {
    const { tokens, accountId, apiKey } = await seedClientele(url, 200)
    const clientele = await openClientele(url)
    const server = await startServer('servers/clientele.ts', ['fastify', url])
    const load: Load = {
      path: '/client/user/auth/validation-token',
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      bodies: tokens.map((token) => JSON.stringify({ token: `Bearer ${token}` })),
    }
    const callFor = async (duration: number): Promise<number> => {
      const end = performance.now() + duration * 1000
      let calls = 0
      const loop = async (): Promise<void> => {
        while (performance.now() < end) {
          // Texts of their own, as they come out of requests, so that nothing is known by its identity.
          const token = Buffer.from(tokens[calls++ % tokens.length] ?? '').toString()
          await clientele.auth.validateToken(accountId, token)
        }
      }
      await Promise.all(Array.from({ length: 64 }, loop))
      return calls / duration
    }
    const figures = await compare(
      {
        direct: callFor,
        http: async (duration) => (await applyLoad(server.url, load, duration)).perSecond,
      },
      { rounds, seconds },
    )
    report(
      `validateToken() in process, ${name}`,
      figures.direct ?? [],
      'HTTP route',
      figures.http ?? [],
      '/s',
      {
        atLeast: 3,
      },
    )
    await server.stop()
    await clientele.close()
  }
}
