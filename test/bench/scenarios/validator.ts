import { createValidator } from '@clientele/validator'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { applyLoad, compare } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl, seedClientele } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

/** The target for tokens that it has seen before, a second */
const target = 50_000

/** `validate()` of @clientele/validator beside bare `jwtVerify` of jose and the HTTP route, 64 at once in all of them. */
export async function validateByValidator({ rounds, seconds }: Setting): Promise<void> {
  const url = newSqliteUrl()
  const { tokens, accountId, apiKey } = await seedClientele(url, 200)
  const server = await startServer('servers/clientele.ts', ['fastify', url])
  const { iss: issuer = '' } = decodeJwt(tokens[0] ?? '')
  const options = { issuer, baseUrl: server.url, apiKey }
  const remembering = await createValidator(options)
  // Of tokens in turn it has always forgotten the one that comes: each is as a new one.
  const forgetful = await createValidator({ ...options, maxRemembered: 1 })
  const keys = createRemoteJWKSet(
    new URL(`${server.url}/client/account/${accountId}/.well-known/jwks.json`),
  )
  const repeatFor = (work: (token: string) => Promise<unknown>) => async (duration: number) => {
    const end = performance.now() + duration * 1000
    let calls = 0
    const loop = async (): Promise<void> => {
      while (performance.now() < end) {
        // Texts of their own, as they come out of requests, so that nothing is known by its identity.
        await work(Buffer.from(tokens[calls++ % tokens.length] ?? '').toString())
        // Without it the timers and the feed of this process would never have their turn.
        if (calls % 1_000 === 0) await new Promise(setImmediate)
      }
    }
    await Promise.all(Array.from({ length: 64 }, loop))
    return calls / duration
  }
  const load = {
    path: '/client/user/auth/validation-token',
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    bodies: tokens.map((token) => JSON.stringify({ token: `Bearer ${token}` })),
  } as const
  try {
    const figures = await compare(
      {
        repeated: repeatFor((token) => remembering.validate(token)),
        fresh: repeatFor((token) => forgetful.validate(token)),
        jose: repeatFor((token) => jwtVerify(token, keys, { issuer, audience: accountId })),
        http: async (duration) => (await applyLoad(server.url, load, duration)).perSecond,
      },
      { rounds, seconds },
    )
    const { repeated = [], fresh = [], jose = [], http = [] } = figures
    const targets = repeated.map(() => target)
    report('validator, repeated tokens', repeated, 'target', targets, '/s', { atLeast: 1 })
    report('validator, repeated tokens', repeated, 'jwtVerify', jose, '/s', {})
    report('validator, repeated tokens', repeated, 'HTTP route', http, '/s', {})
    report('validator, new tokens', fresh, 'jwtVerify', jose, '/s', {})
    report('validator, new tokens', fresh, 'HTTP route', http, '/s', {})
  } finally {
    await Promise.all([remembering.close(), forgetful.close()])
    await server.stop()
  }
}
