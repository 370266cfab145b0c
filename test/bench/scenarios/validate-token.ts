import { seedBetterAuth } from '../support/better-auth.ts'
import { seedByHand } from '../support/by-hand.ts'
import { frameworks } from '../support/frameworks.ts'
import { applyLoad, compare, type Load } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl, seedClientele } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

const count = 200

/** `POST …/auth/validation-token` over HTTP, with 200 users' tokens in turn. */
export async function validateTokens({ postgres, rounds, seconds }: Setting): Promise<void> {
  const databases = [
    { name: 'SQLite', url: async () => newSqliteUrl(), timesBetterAuth: 20 },
    { name: 'PostgreSQL', url: () => postgres.createDatabase(), timesBetterAuth: 12 },
  ]
  for (const { name, url, timesBetterAuth } of databases) {
    const [ourUrl, handUrl, peerUrl] = [await url(), await url(), await url()]
    const ours = await seedClientele(ourUrl, count)
    const hand = await seedByHand(handUrl, ours.accountId, ours.users)
    const peer = await seedBetterAuth(peerUrl, ours.users.slice(0, 20))
    const peerServer = await startServer('servers/better-auth.ts', [peerUrl])
    for (const framework of frameworks) {
      const ourServer = await startServer('servers/clientele.ts', [framework, ourUrl])
      const handServer = await startServer('servers/by-hand.ts', [framework, handUrl])
      const figures = await compare(
        {
          ours: async (time) =>
            (await applyLoad(ourServer.url, loadOfValidation(ours), time)).perSecond,
          hand: async (time) =>
            (await applyLoad(handServer.url, loadOfValidation(hand), time)).perSecond,
          peer: async (time) =>
            (await applyLoad(peerServer.url, loadOfValidation(peer), time)).perSecond,
        },
        { rounds, seconds },
      )
      const { ours: our = [], hand: by = [], peer: better = [] } = figures
      report(`validation-token, ${name}, ${framework}`, our, 'by hand', by, '/s', { atLeast: 1 })
      report(`validation-token, ${name}, ${framework}`, our, 'better-auth', better, '/s', {
        atLeast: timesBetterAuth,
      })
      await Promise.all([ourServer.stop(), handServer.stop()])
    }
    await peerServer.stop()
  }
}

/** Validations of the users' tokens in turn */
export function loadOfValidation({ apiKey, tokens }: { apiKey: string; tokens: string[] }): Load {
  return {
    path: '/client/user/auth/validation-token',
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    bodies: tokens.map((token) => JSON.stringify({ token: `Bearer ${token}` })),
  }
}
