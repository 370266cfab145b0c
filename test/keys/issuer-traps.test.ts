import dns from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, LogRecorder } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const iss = 'https://login.example.com'
const aud = 'https://api.example.com'
const secret = 'a shared secret of 32 bytes or more'
const ec = await generateKeyPair('ES256', { extractable: true })
const otherEc = await generateKeyPair('ES256', { extractable: true })
const ecJwk = { ...(await exportJWK(ec.publicKey)), kid: 'ec-1' }
const otherEcJwk = { ...(await exportJWK(otherEc.publicKey)), kid: 'ec-2' }
const bySecret = {
  issuer: iss,
  audience: aud,
  algorithms: ['HS256' as const],
  shared_secret: secret,
}
const local = { trustedIssuers: { allowPrivateAddresses: true } }

describe.each(databases)('traps of other issuers, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  const seconds = () => Math.floor(world.now / 1000)

  const signHs = (payload: JWTPayload) =>
    new SignJWT({ iss, aud, iat: seconds(), exp: seconds() + 60, ...payload })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret))
  const signEs = (payload: JWTPayload, kid: string, key: typeof ec.privateKey) =>
    new SignJWT({ iss, aud, iat: seconds(), exp: seconds() + 60, ...payload })
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign(key)

  test.each(['8.8.8.8', '1.1.1.1', '192.30.255.112'])(
    'jwks_url at the public address %s is allowed by default',
    async (host) => {
      const { clientele } = await world.start({ trustedIssuers: {} })
      const { accountId } = await world.addUser(clientele)
      const made = codeOf(
        clientele.issuers.create(accountId, {
          issuer: iss,
          audience: aud,
          algorithms: ['ES256'],
          jwks_url: `https://${host}/keys`,
        }),
      )
      expect(await made).toBe(undefined)
    },
  )

  test.each([
    ['203.0.113.7', 4],
    ['2001:db8::7', 6],
  ] as const)('a name that resolves to %s is not "a private network"', async (address, family) => {
    const real = dns.lookup
    dns.lookup = ((_host: string, _options: object, callback: (...all: unknown[]) => void) =>
      callback(null, [{ address, family }])) as never
    syncBuiltinESMExports()
    onTestFinished(() => {
      dns.lookup = real
      syncBuiltinESMExports()
    })
    const log = new LogRecorder()
    const { clientele } = await world.start({ trustedIssuers: {}, logger: log })
    const { accountId, user } = await world.addUser(clientele)
    await clientele.issuers.create(accountId, {
      issuer: iss,
      audience: aud,
      algorithms: ['ES256'],
      jwks_url: 'https://login.example.com/keys',
    })
    world.now += 2000
    await codeOf(
      clientele.auth.validateToken(
        accountId,
        await signEs({ sub: user.id }, 'ec-1', ec.privateKey),
      ),
    )
    const why = log.lines.map(({ details }) => String(Reflect.get(details, 'error'))).join()
    expect(why).not.toBe('')
    expect(why).not.toContain('private network')
  })

  test('a JWKS server that answers 101 must not block validation for ever', async () => {
    const sockets = new Set<Socket>()
    let lies = true
    let requests = 0
    const server = createTcpServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('data', () => {
        requests++
        const body = JSON.stringify({ keys: [ecJwk] })
        socket.end(
          lies
            ? 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
            : `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        )
      })
    })
    await new Promise<void>((r) => server.listen(0, '127.0.0.1', r))
    onTestFinished(() => {
      for (const each of sockets) each.destroy()
      server.close()
    })
    const { clientele } = await world.start(local)
    const { accountId, user } = await world.addUser(clientele)
    await clientele.issuers.create(accountId, {
      issuer: iss,
      audience: aud,
      algorithms: ['ES256'],
      jwks_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    })
    world.now += 2000
    const token = await signEs({ sub: user.id }, 'ec-1', ec.privateKey)
    const first = await codeOf(clientele.auth.validateToken(accountId, token))
    lies = false
    world.now += 60_000
    const later = await signEs({ sub: user.id }, 'ec-1', ec.privateKey)
    const second = await codeOf(clientele.auth.validateToken(accountId, later))
    expect({ first, second, requests }).toEqual({
      first: 'token_unknown_key',
      second: undefined,
      requests: 2,
    })
  })

  test("an address that goes to another user does not take the first one's tokens along", async () => {
    const { clientele } = await world.start()
    const a = await world.addUser(clientele)
    const c = await world.addUser(clientele, { accountId: a.accountId })
    await clientele.issuers.create(a.accountId, { ...bySecret, user_claim: 'email' })
    world.now += 2000
    const token = await signHs({ email: a.user.email, exp: seconds() + 3600 })
    expect((await clientele.auth.validateToken(a.accountId, token)).user.id).toBe(a.user.id)
    world.now += 2000
    await clientele.users.patch(a.accountId, a.user.id, { email: `x${a.user.email}` })
    await clientele.users.patch(a.accountId, c.user.id, { email: a.user.email })
    const result = await clientele.auth.validateToken(a.accountId, token).then(
      ({ user }) => (user.id === c.user.id ? 'signed in as another' : 'same'),
      (error) => error.code,
    )
    expect(result).toBe('token_revoked')
  })

  test.each(['false', 0, null, 'no'])(
    'email_verified %j is not verified',
    async (email_verified) => {
      const { clientele } = await world.start()
      const { accountId, user } = await world.addUser(clientele)
      await clientele.issuers.create(accountId, { ...bySecret, user_claim: 'email' })
      world.now += 2000
      const token = await signHs({ email: user.email, email_verified })
      expect(await codeOf(clientele.auth.validateToken(accountId, token))).toBe(
        'token_claims_invalid',
      )
    },
  )

  test.each(['in turn (control)', 'at once'])(
    'two changes of an issuer %s are both kept',
    async (how) => {
      const [{ clientele: a }, { clientele: b }] = [await world.start(), await world.start()]
      const { accountId, user } = await world.addUser(a)
      const { id } = await a.issuers.create(accountId, bySecret)
      let lost = 0
      for (let round = 0; round < 10; round++) {
        const shared_secret = `a secret that is quite new, round ${round}`
        const audience = `audience ${round}`
        const changes = [
          () => a.issuers.update(accountId, id, { shared_secret }),
          () => b.issuers.update(accountId, id, { audience }),
        ]
        if (how === 'at once') await Promise.all(changes.map((change) => change()))
        else for (const change of changes) await change()
        world.now += 5000
        const token = await new SignJWT({
          iss,
          aud: audience,
          sub: user.id,
          iat: seconds(),
          exp: seconds() + 60,
        })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(shared_secret))
        if ((await codeOf(a.auth.validateToken(accountId, token))) !== undefined) lost++
      }
      expect(lost).toBe(0)
    },
  )

  test('a key withdrawn long ago is not accepted once more after an idle day', async () => {
    let keys: object[] = [ecJwk]
    const server = createServer((_: IncomingMessage, response: ServerResponse) => {
      response.end(JSON.stringify({ keys }))
    })
    await new Promise<void>((r) => server.listen(0, '127.0.0.1', r))
    onTestFinished(() => {
      server.close()
    })
    const { clientele } = await world.start(local)
    const { accountId, user } = await world.addUser(clientele)
    await clientele.issuers.create(accountId, {
      issuer: iss,
      audience: aud,
      algorithms: ['ES256'],
      jwks_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    })
    world.now += 2000
    expect(
      await codeOf(
        clientele.auth.validateToken(
          accountId,
          await signEs({ sub: user.id }, 'ec-1', ec.privateKey),
        ),
      ),
    ).toBe(undefined)
    keys = [otherEcJwk]
    world.now += 24 * 3600_000
    expect(
      await codeOf(
        clientele.auth.validateToken(
          accountId,
          await signEs({ sub: user.id }, 'ec-1', ec.privateKey),
        ),
      ),
    ).toBe('token_unknown_key')
  })

  test('HTTPS:// in capitals is fetched', async () => {
    const log = new LogRecorder()
    const { clientele } = await world.start({ ...local, logger: log })
    const { accountId, user } = await world.addUser(clientele)
    await clientele.issuers.create(accountId, {
      issuer: iss,
      audience: aud,
      algorithms: ['ES256'],
      jwks_url: 'HTTPS://127.0.0.1:1/keys',
    })
    world.now += 2000
    await codeOf(
      clientele.auth.validateToken(
        accountId,
        await signEs({ sub: user.id }, 'ec-1', ec.privateKey),
      ),
    )
    expect(String(Reflect.get(log.lines[0]?.details ?? {}, 'error'))).toContain('ECONNREFUSED')
  })
})
