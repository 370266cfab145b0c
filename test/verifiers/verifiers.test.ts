import { createPublicKey, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openClientele, readKeySet } from '../keys/open-clientele.ts'
import { root } from '../package/source-files.ts'
import { logIn } from '../support/log-in.ts'
import { type CachingProxy, startCachingProxy } from './caching-proxy.ts'
import { readBlocks } from './paste-block.ts'
import { type Change, type StartedVerifier, startVerifier, verifiers } from './verifiers.ts'

const credentials = { email: 'ada@example.com', password: 'correct horse' }
const minuteMs = 60_000

interface Tenant {
  accountId: string
  issuer: string
  apiKey: string
  signIn(): Promise<string>
}

/** A Clientele behind an HTTP cache */
class VerifierWorld {
  readonly clientele: Clientele
  readonly proxy: CachingProxy
  readonly #server: Server
  readonly #started: StartedVerifier[] = []

  private constructor(clientele: Clientele, proxy: CachingProxy, server: Server) {
    this.clientele = clientele
    this.proxy = proxy
    this.#server = server
  }

  static async open(options: Partial<ClienteleOptions> = {}): Promise<VerifierWorld> {
    const proxy = await startCachingProxy()
    const publicUrl = `${proxy.origin}/api/v1`
    const clock = () => Date.now()
    const clientele = await openClientele('sqlite::memory:', { publicUrl, clock, ...options })
    const server = createServer(clienteleListener(clientele, { prefix: '/api/v1' }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    proxy.upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
    return new VerifierWorld(clientele, proxy, server)
  }

  async addTenant(): Promise<Tenant> {
    const { clientele } = this
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.users.create(accountId, { name: 'Ada', ...credentials })
    const { apiKey } = await clientele.apiKeys.create(accountId, { scopes: ['tokens:validate'] })
    return {
      accountId,
      issuer: `${this.proxy.origin}/api/v1/client/account/${accountId}`,
      apiKey,
      signIn: async () => (await logIn(clientele, accountId, credentials)).token,
    }
  }

  /** Starts each verifier for an account. */
  async startAll(
    { accountId, issuer, apiKey }: Tenant,
    changesOf: (verifier: (typeof verifiers)[number]) => readonly Change[] = () => [],
  ) {
    const blanks = { issuer, audience: accountId, apiKey }
    return Promise.all(
      verifiers.map(async (verifier) => {
        const started = await startVerifier(verifier, blanks, changesOf(verifier))
        this.#started.push(started)
        return { ...verifier, check: started.check }
      }),
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#started.map((each) => each.close()))
    await this.proxy.close()
    this.clientele.stopWaiting()
    this.#server.close()
    this.#server.closeAllConnections()
    await this.clientele.close()
  }
}

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

test('what the README shows is in the guide, and is run as it stands there', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const blocks = [...(await readBlocks())].map(([name, block]) => `// ${name}\n${block}`)
  const shown = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block)
  expect(shown).toHaveLength(3)
  expect(blocks).toEqual(expect.arrayContaining(shown))
})

describe('our tokens at the verifiers of others', () => {
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

  test('a valid token is accepted, what is none is refused', async () => {
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
    // Neither unsigned tokens, nor the public key as a secret, nor a key that nobody has
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

  test('with every option at its default, none lets in the token of another account', async () => {
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

  test('get-jwks takes keys from any issuer where it is told what the token says of itself', async () => {
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
