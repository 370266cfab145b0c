import { availableParallelism } from 'node:os'
import { createClientele } from '@clientele/core'
import { hash, verify } from '@node-rs/argon2'
import { benchSecret, openClientele, openRepository } from '../support/clientele.ts'
import { applyLoad, type Load, type LoadResult } from '../support/load.ts'
import { median, report } from '../support/report.ts'
import { newSqliteUrl, seedClientele } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

/** Of argon2id: what the server has by itself */
export const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const email = 'signer@example.com'
const password = 'secret password'

/** 64 sign-ins at once beside bare argon2 on as many threads; what token validation feels of it; what a full queue says. */
export async function signIn({ rounds, seconds }: Setting): Promise<void> {
  const url = newSqliteUrl()
  const seed = await seedClientele(url, 200)
  const clientele = await openClientele(url)
  await clientele.users.create(seed.accountId, { email, name: 'Signer', password })
  await clientele.close()
  const server = await startServer('servers/clientele.ts', ['fastify', url])
  const headers = { authorization: `Bearer ${seed.apiKey}`, 'content-type': 'application/json' }
  const logIn: Load = {
    path: '/client/user/auth/login',
    method: 'POST',
    headers,
    bodies: [JSON.stringify({ email, password })],
    connections: 64,
  }
  const validate: Load = {
    path: '/client/user/auth/validation-token',
    method: 'POST',
    headers,
    bodies: seed.tokens.map((token) => JSON.stringify({ token: `Bearer ${token}` })),
    connections: 4,
  }
  const threads = Math.min(3, Math.max(1, availableParallelism() - 1))
  const figures = {
    ours: [] as number[],
    bare: [] as number[],
    idle: [] as number[],
    busy: [] as number[],
  }
  await applyLoad(server.url, validate, 1)
  for (let round = 0; round < rounds; round++) {
    figures.bare.push(await bareArgon2(threads, seconds))
    figures.ours.push((await applyLoad(server.url, logIn, seconds)).perSecond)
    figures.idle.push((await applyLoad(server.url, validate, seconds)).p99)
    const [, busy] = (await Promise.all([
      applyLoad(server.url, logIn, seconds + 1),
      applyLoad(server.url, validate, seconds),
    ])) as [LoadResult, LoadResult]
    figures.busy.push(busy.p99)
  }
  report(
    'sign-in, 64 at once',
    figures.ours,
    `bare argon2, ${threads} threads`,
    figures.bare,
    '/s',
    { atLeast: 0.9 },
  )
  report('p99 of validation-token meanwhile', figures.busy, 'idle', figures.idle, 'ms', {
    atMost: 3,
  })
  await reportRefusals(server.url, logIn)
  await reportUnknownEmail(url, seed.accountId)
  await server.stop()
}

async function reportRefusals(
  url: string,
  { path, headers = {}, bodies = [] }: Load,
): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 400 }, async () => {
      const start = performance.now()
      const response = await fetch(url + path, { method: 'POST', headers, body: bodies[0] ?? '' })
      await response.text()
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        ms: performance.now() - start,
      }
    }),
  )
  const refused = answers.filter(({ status }) => status === 503)
  const wait = Math.round(median(refused.map(({ ms }) => ms)))
  const passed = answers.filter(({ status }) => status === 200).length
  console.log(
    `400 sign-ins at the same moment: ${passed} × 200, ${refused.length} × 503 with Retry-After ` +
      `${refused[0]?.retryAfter}, refused after ${wait} ms in the median`,
  )
}

/** What a stranger could tell by the clock: the time of a wrong password beside that of an unknown e-mail. */
async function reportUnknownEmail(url: string, accountId: string): Promise<void> {
  const clientele = await createClientele({
    repository: openRepository(url),
    secrets: [benchSecret],
    rateLimits: { login: { points: 1_000_000, windowSeconds: 60 } },
  })
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let attempt = 0; attempt < 100; attempt++) {
    for (const [kind, address] of [
      ['known', email],
      ['unknown', `nobody${attempt}@example.com`],
    ] as const) {
      const start = performance.now()
      await clientele.auth.logIn(accountId, { email: address, password: 'wrong' }).catch(() => {})
      if (attempt >= 10) times[kind].push(performance.now() - start)
    }
  }
  console.log(
    `a wrong password takes ${median(times.known).toFixed(2)} ms, an unknown e-mail ` +
      `${median(times.unknown).toFixed(2)} ms in the median of ${times.known.length}`,
  )
  await clientele.close()
}

/** How many hashes a second that many threads make with nothing around them. */
export async function bareArgon2(threads: number, seconds: number): Promise<number> {
  const stored = await hash(password, parameters)
  const end = performance.now() + seconds * 1000
  let count = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      await verify(stored, password)
      count++
    }
  }
  await Promise.all(Array.from({ length: threads }, loop))
  return count / seconds
}
