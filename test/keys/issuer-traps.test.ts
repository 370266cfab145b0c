import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, issuesOf } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import {
  bySecret,
  byUrl,
  ecJwk,
  IssuerWorld,
  otherEcJwk,
  serveKeys,
} from '../support/issuer-world.ts'

describe.each(anyDatabase)('traps of other issuers, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('a JWKS server that answers 101 must not block validation forever', async () => {
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
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` // it listens on TCP
    const { accountId, signByKey, check, trust } = await world.openAccount()
    const refused = await issuesOf(trust(byUrl(url)))
    expect(refused).toMatchObject([{ pointer: '/jwksUrl' }])
    lies = false
    await trust(byUrl(url))
    lies = true
    const { clientele: second } = await world.start({
      trustedIssuers: { allowPrivateAddresses: true },
    })
    const token = await signByKey()
    expect(await codeOf(second.auth.validateToken(accountId, token))).toBe('token_unknown_key')
    lies = false
    world.now += 30_000
    expect(await check(await signByKey(), second)).toBe(undefined)
    expect(requests).toBe(4)
  })

  test("a former owner's tokens are not valid for the next owner of an address", async () => {
    const { clientele, accountId, user, signBySecret } = await world.trusting({
      ...bySecret,
      userClaim: 'email',
    })
    const { email } = user
    const other = await world.addUser(clientele, { accountId })
    world.now += 2000
    const claims = { email, email_verified: true, exp: world.seconds + 3600 }
    const token = await signBySecret(claims)
    expect((await clientele.auth.validateToken(accountId, token)).user.id).toBe(user.id)
    world.now += 2000
    await clientele.users.patch(accountId, user.id, { email: `x${email}` })
    await clientele.users.patch(accountId, other.user.id, { email })
    const result = await clientele.auth.validateToken(accountId, token).then(
      ({ user: { id } }) => (id === other.user.id ? 'signed in as another' : 'same'),
      (error) => error.code,
    )
    expect(result).toBe('token_revoked')
  })

  const verified: object[] = [
    { email_verified: true },
    { email_verified: 'true' },
    { emailVerified: true },
    { emailVerified: 'true' },
    { email_verified: true, emailVerified: 'true' },
  ]
  const unverified: object[] = [
    {},
    ...[false, 'false', 0, 1, null, 'no', 'TRUE', [true], {}].flatMap((value) => [
      { email_verified: value },
      { emailVerified: value },
    ]),
    { email_verified: true, emailVerified: false },
    { email_verified: 'false', emailVerified: true },
    { email_verified: true, emailVerified: null },
    { Email_Verified: true },
  ]
  test('an e-mail names a user only where the token calls it verified', async () => {
    const { clientele, accountId, issuer, user, signBySecret, check } = await world.trusting({
      ...bySecret,
      userClaim: 'email',
    })
    expect(issuer.trustUnverifiedEmail).toBe(false)
    const outcomes = async (all: object[]) =>
      Promise.all(
        all.map(async (claims) => check(await signBySecret({ email: user.email, ...claims }))),
      )
    expect(await outcomes(verified)).toEqual(verified.map(() => undefined))
    expect(await outcomes(unverified)).toEqual(unverified.map(() => 'token_claims_invalid'))

    const trust = { trustUnverifiedEmail: true }
    expect(await clientele.trustedIssuers.update(accountId, issuer.id, trust)).toMatchObject(trust)
    expect(await clientele.trustedIssuers.list(accountId)).toMatchObject([trust])
    expect(await outcomes(unverified)).toEqual(unverified.map(() => undefined))
  })

  test('the e-mail claim does not matter if an id names the user', async () => {
    const { signBySecret, check } = await world.trusting(bySecret)
    expect(await check(await signBySecret({ email_verified: false }))).toBe(undefined)
  })

  test.each(['in turn (control)', 'at once'])(
    'two changes of an issuer %s are both kept',
    async (how) => {
      const {
        clientele: a,
        accountId,
        issuer,
        signBySecret,
        check,
      } = await world.trusting(bySecret)
      const { clientele: b } = await world.start()
      let lost = 0
      for (let round = 0; round < 10; round++) {
        const sharedSecret = `a secret that is quite new, round ${round}`
        const audience = `audience ${round}`
        const changes = [
          () => a.trustedIssuers.update(accountId, issuer.id, { sharedSecret }),
          () => b.trustedIssuers.update(accountId, issuer.id, { audience }),
        ]
        if (how === 'at once') await Promise.all(changes.map((change) => change()))
        else for (const change of changes) await change()
        world.now += 5000
        const token = await signBySecret({ aud: audience }, {}, sharedSecret)
        if ((await check(token)) !== undefined) lost++
      }
      expect(lost).toBe(0)
    },
  )

  test('a key withdrawn long ago is not accepted once more after an idle day', async () => {
    const server = await serveKeys(ecJwk)
    const { signByKey, check } = await world.trusting(byUrl(server.url))
    expect(await check(await signByKey())).toBe(undefined)
    server.serve(otherEcJwk)
    world.now += 24 * 3600_000
    expect(await check(await signByKey())).toBe('token_unknown_key')
  })

  test('a URL with HTTPS:// in capitals is read', async () => {
    const { trust } = await world.openAccount()
    expect(await issuesOf(trust(byUrl('HTTPS://127.0.0.1:1/keys')))).toMatchObject([
      { pointer: '/jwksUrl', message: 'cannot be read: the connection fails (ECONNREFUSED)' },
    ])
  })
})
