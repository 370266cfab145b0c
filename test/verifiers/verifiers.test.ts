import { createPublicKey, randomUUID } from 'node:crypto'
import { decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readKeySet } from '../keys/open-clientele.ts'
import { readBlocks } from './paste-block.ts'
import { VerifierWorld } from './verifier-world.ts'
import { type StartedVerifier, verifiers } from './verifiers.ts'

const minuteMs = 60_000

/** What each verifier says of a token, by its name. */
async function ask(
  started: readonly { name: string; check: StartedVerifier['check'] }[],
  token: string,
): Promise<Record<string, string>> {
  const answers = started.map(async ({ name, check }) => [name, await check(token)])
  return Object.fromEntries(await Promise.all(answers))
}

const all = (answer: string, except: Record<string, string> = {}) => ({
  ...Object.fromEntries(verifiers.map(({ name }) => [name, answer])),
  ...except,
})
const those = (lack: (typeof verifiers)[number]['cannot'][number], answer: string) =>
  Object.fromEntries(
    verifiers.flatMap(({ name, cannot }) => (cannot.includes(lack) ? [[name, answer]] : [])),
  )

test('every block of the guide is one of these verifiers', async () => {
  const blocks = await readBlocks()
  expect([...blocks.keys()]).toEqual(verifiers.map(({ name }) => name))
})

describe('our tokens in verifiers of other libraries', () => {
  let world: VerifierWorld

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    // Caches that were loaded before keep the object, and ask it each time.
    const from = performance.now() - Date.now()
    vi.spyOn(performance, 'now').mockImplementation(() => from + Date.now())
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    vi.useRealTimers()
    await world.close()
  })

  const goOn = (minutes: number) => vi.advanceTimersByTime(minutes * minuteMs)

  test('a valid token is accepted, an invalid one is refused', async () => {
    world = await VerifierWorld.open()
    const tenant = await world.addTenant()
    const token = await tenant.signIn()
    const started = await world.startAll(tenant)
    expect(await ask(started, token)).toEqual(all('accepted'))
    const [head = '', payload = '', signature = ''] = token.split('.')
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    expect(await ask(started, `${head}.${payload}.${flipped}`)).toEqual(all('refused'))
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const raised = Buffer.from(JSON.stringify({ ...claims, sub: randomUUID() })).toString(
      'base64url',
    )
    expect(await ask(started, `${head}.${raised}.${signature}`)).toEqual(all('refused'))
    // Another issuer that names our key, and says what ours says
    const { privateKey } = await generateKeyPair('ES256')
    const header = { ...decodeProtectedHeader(token), alg: 'ES256' }
    const foreign = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
    expect(await ask(started, foreign)).toEqual(all('refused'))
    // Neither unsigned tokens, nor the public key as a secret, nor an unknown key
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const unsigned = `${encode({ ...header, alg: 'none' })}.${payload}.`
    expect(await ask(started, unsigned)).toEqual(all('refused'))
    const [publicKey] = (await readKeySet(world.clientele, tenant.accountId)).keys
    const pem = createPublicKey({ key: publicKey ?? {}, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const confused = new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' })
    const byPem = await confused.sign(new TextEncoder().encode(String(pem)))
    expect(await ask(started, byPem)).toEqual(all('refused'))
    const unknown = new SignJWT(claims).setProtectedHeader({ ...header, kid: randomUUID() })
    expect(await ask(started, await unknown.sign(privateKey))).toEqual(all('refused'))
    goOn(121)
    expect(await ask(started, token)).toEqual(all('refused'))
    expect(await ask(started, await tenant.signIn())).toEqual(all('accepted'))
  })

  test('while a key is rotated behind a cache of five minutes, no valid token is refused', async () => {
    world = await VerifierWorld.open()
    const tenant = await world.addTenant()
    const first = await tenant.signIn()
    const started = await world.startAll(tenant)
    expect(await ask(started, first)).toEqual(all('accepted'))
    await world.clientele.signingKeys.rotate(tenant.accountId)
    const kids = new Set<unknown>()
    for (let minute = 0; minute < 60; minute += 2) {
      const token = await tenant.signIn()
      kids.add(decodeProtectedHeader(token).kid)
      expect([minute, await ask(started, token)]).toEqual([minute, all('accepted')])
      expect([minute, await ask(started, first)]).toEqual([minute, all('accepted')])
      goOn(2)
    }
    expect(kids.size).toBe(2)
    expect(world.proxy.hits).toBeGreaterThan(0)
  }, 60_000)

  test('a first key that is created before its first token is known to every cache', async () => {
    world = await VerifierWorld.open()
    const [early, late] = [await world.addTenant(), await world.addTenant()]
    await world.clientele.signingKeys.rotate(early.accountId)
    for (const { issuer } of [early, late]) await fetch(`${issuer}/.well-known/jwks.json`)
    expect(await ask(await world.startAll(early), await early.signIn())).toEqual(all('accepted'))
    // The empty set is in the cache for five minutes.
    const token = await late.signIn()
    const [jose] = await world.startAll(late)
    expect(await jose?.check(token)).toBe('refused')
    goOn(6)
    expect(await jose?.check(token)).toBe('accepted')
    expect(await ask(await world.startAll(late), token)).toEqual(all('accepted'))
  })

  test('a removed key is kept by caches, for a quarter of an hour; by get-jwks for longer', async () => {
    world = await VerifierWorld.open()
    const tenant = await world.addTenant()
    const token = await tenant.signIn()
    const started = await world.startAll(tenant)
    expect(await ask(started, token)).toEqual(all('accepted'))
    const [old] = await world.clientele.signingKeys.list(tenant.accountId)
    await world.clientele.signingKeys.rotate(tenant.accountId, { now: true })
    await world.clientele.signingKeys.remove(tenant.accountId, old?.id ?? '')
    expect(await ask(started, token)).toEqual(
      all('accepted', those('keep a removed key', 'refused')),
    )
    // What `now` costs: they have cached a set without the new key.
    expect(await ask(started, await tenant.signIn())).toEqual(
      all('refused', those('keep a removed key', 'accepted')),
    )
    goOn(16)
    // Each token that comes within a minute of the last one keeps the key for one more.
    for (let times = 0; times < 20; times++) {
      expect(await ask(started, token)).toEqual(
        all('refused', those('forget a removed key', 'accepted')),
      )
      goOn(0.9)
    }
    goOn(1)
    expect(await ask(started, token)).toEqual(all('refused'))
    expect(await ask(started, await tenant.signIn())).toEqual(all('accepted'))
  })

  test('with every option at its default, no verifier accepts the token of another account', async () => {
    world = await VerifierWorld.open()
    const [acme, globex] = [await world.addTenant(), await world.addTenant()]
    const [ofAcme, ofGlobex] = [await acme.signIn(), await globex.signIn()]
    const atAcme = await world.startAll(acme, ({ defaults }) => defaults)
    const atGlobex = await world.startAll(globex, ({ defaults }) => defaults)
    for (let times = 0; times < 2; times++) {
      expect(await ask(atAcme, ofAcme)).toEqual(all('accepted'))
      expect(await ask(atGlobex, ofGlobex)).toEqual(all('accepted'))
      expect(await ask(atAcme, ofGlobex)).toEqual(all('refused'))
      expect(await ask(atGlobex, ofAcme)).toEqual(all('refused'))
    }
  })

  test("get-jwks takes keys from any issuer if it gets the token's unverified claims", async () => {
    world = await VerifierWorld.open()
    const [acme, globex] = [await world.addTenant(), await world.addTenant()]
    const token = await globex.signIn()
    const careless = [
      ['{ header: { alg, kid } }', '{ header: { alg, kid }, payload }'],
      ['domain: issuer', 'domain: payload.iss'],
    ] as const
    const isGetJwks = ({ name }: { name: string }) => name.includes('get-jwks')
    const started = await world.startAll(acme, (verifier) =>
      isGetJwks(verifier) ? [...verifier.defaults, ...careless] : [],
    )
    expect(await ask(started.filter(isGetJwks), token)).toEqual({
      'fast-jwt and get-jwks': 'accepted',
      '@fastify/jwt and get-jwks': 'accepted',
    })
    const named = await world.startAll(acme, (verifier) => (isGetJwks(verifier) ? careless : []))
    expect(await ask(named, token)).toEqual(all('refused'))
  })

  test.each([
    { signingAlgorithm: 'ES256', tokenType: 'JWT' },
    { signingAlgorithm: 'RS256', tokenType: 'at+jwt' },
    { signingAlgorithm: 'RS256', tokenType: 'JWT' },
  ] as const)('$signingAlgorithm with $tokenType', async (options) => {
    world = await VerifierWorld.open(options)
    const tenant = await world.addTenant()
    const token = await tenant.signIn()
    expect(decodeProtectedHeader(token)).toMatchObject({
      alg: options.signingAlgorithm,
      typ: options.tokenType,
    })
    const started = await world.startAll(tenant)
    const except = options.tokenType === 'JWT' ? those('tokenType JWT', 'refused') : {}
    expect(await ask(started, token)).toEqual(all('accepted', except))
  })
})
