import type { ServerResponse } from 'node:http'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { aud, ecJwk, IssuerWorld, otherEc, otherEcJwk } from '../support/issuer-world.ts'
import { resolveNames } from '../support/resolve-names.ts'
import { type Answer, discovered, openId, serveIssuer } from '../support/serve-issuer.ts'
import { hints, hostileSets, inPieces, keySet } from './hostile-key-sets.ts'
import { issuesOf, LogRecorder } from './open-clientele.ts'

describe.each(databases)('hostile issuers on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function trustHonest(...keys: object[]) {
    const server = await serveIssuer()
    const { issuer, answers, document } = server
    const set = { keys: keys.length > 0 ? keys : [ecJwk] }
    Object.assign(answers, { [openId]: document, '/keys': set })
    const logger = new LogRecorder()
    const opened = await world.openAccount({
      logger,
      trustedIssuers: { allowPrivateAddresses: true },
    })
    const input = { ...discovered(issuer), algorithms: ['ES256' as const, 'RS256' as const] }
    const made = await opened.trust(input)
    server.asked.length = 0
    const sign = (changes: object = {}, kid = 'ec-1') =>
      opened.signByKey({ iss: issuer, ...changes }, { kid })
    return { ...opened, server, made, input, logger, sign }
  }

  test.each(hostileSets)(
    'a key set %s is refused, and one that becomes so changes nothing',
    async (_, answer, why) => {
      const { accountId, clientele, made, input, server, logger, sign, check, trust } =
        await trustHonest()
      server.answers['/keys'] = answer
      await clientele.trustedIssuers.delete(accountId, made.id)
      expect(await issuesOf(trust(input))).toEqual([
        { pointer: '/issuer', code: 'key_source', message: expect.stringContaining(why) },
      ])
      expect(await clientele.trustedIssuers.list(accountId)).toEqual([])
      expect(server.asked).toEqual([openId, '/keys'])

      server.answers['/keys'] = { keys: [ecJwk] }
      await trust(input)
      server.answers['/keys'] = answer
      server.asked.length = 0
      world.now += 10 * 60_000
      expect(await check(await sign())).toBe(undefined)
      // Requests for another key wait for the same attempt.
      expect(await check(await sign({}, 'ec-2'))).toBe('token_unknown_key')
      expect(server.asked).toEqual([openId, '/keys'])
      expect(await check(await sign())).toBe(undefined)
      const faults = logger.lines.map(({ details }) => String(Reflect.get(details, 'error')))
      expect(faults).toEqual([expect.stringContaining(why)])
    },
  )

  test.each([
    ['in 500 pieces of one byte', inPieces(keySet(ecJwk).padStart(500), 1)],
    ['in thousands of pieces of 128 bytes', inPieces(keySet(ecJwk).padStart(250_000), 128)],
    ['behind five informational responses', hints(5) + inPieces(keySet(ecJwk), 10)],
  ])('a key set %s is read', async (_, text) => {
    const { accountId, clientele, made, input, server, sign, check, trust } = await trustHonest()
    server.answers['/keys'] = (response: ServerResponse) => response.socket?.end(text)
    await clientele.trustedIssuers.delete(accountId, made.id)
    await trust(input)
    expect(await check(await sign())).toBe(undefined)
  })

  const forged: [string, string][] = [
    ['file:///etc/passwd', 'must begin with https://'],
    ['data:application/json,{"keys":[]}', 'must begin with https://'],
    ['keys', 'must be a URL'],
    ['http://user:secret@127.0.0.1/keys', 'must not have credentials in it'],
    [
      'http://169.254.169.254/latest/meta-data',
      'must not lead to a link-local, metadata or reserved',
    ],
    ['http://[::ffff:169.254.169.254]/', 'must not lead to a link-local, metadata or reserved'],
    ['http://metadata.google.internal/', 'must not lead to a link-local, metadata or reserved'],
    ['http://keys.example.com/', 'its name leads to a link-local, metadata or reserved'],
  ]
  test.each(forged)('a document that sends us to %s is refused', async (jwks_uri, why) => {
    const { issuer, answers, asked, document } = await serveIssuer()
    answers[openId] = { ...document, jwks_uri }
    await resolveNames(() => ['127.0.0.1', '169.254.169.254'])
    const { trust } = await world.openAccount()
    const [issue, ...others] = await issuesOf(trust(discovered(issuer)))
    expect([issue?.pointer, others]).toEqual(['/issuer', []])
    expect(issue?.message).toContain(why)
    expect(issue?.message).not.toContain('secret')
    expect(asked).toEqual([openId])
  })

  test('a document at a private address is not requested if these are forbidden', async () => {
    const { issuer, asked, answers, document } = await serveIssuer()
    Object.assign(answers, { [openId]: document, '/keys': { keys: [ecJwk] } })
    const { trust } = await world.openAccount({ trustedIssuers: {} })
    await resolveNames(() => ['127.0.0.1'])
    for (const name of [issuer, issuer.replace('http', 'https'), 'https://login.example.com'])
      expect(await issuesOf(trust(discovered(name)))).toMatchObject([{ pointer: '/issuer' }])
    expect(asked).toEqual([])
  })

  test('if several keys have one id, any of the first few may verify a token', async () => {
    const twins = [otherEcJwk, ecJwk].map((jwk) => ({ ...jwk, kid: 'twin' }))
    const { signByKey, server, check } = await trustHonest(...twins)
    const claims = { iss: server.issuer }
    expect(await check(await signByKey(claims, { kid: 'twin' }))).toBe(undefined)
    const other = await signByKey(claims, { kid: 'twin' }, otherEc.privateKey)
    expect(await check(other)).toBe(undefined)
    const stranger = await generateKeyPair('ES256')
    const forgedToken = await signByKey(claims, { kid: 'twin' }, stranger.privateKey)
    expect(await check(forgedToken)).toBe('token_signature_invalid')
    expect(server.asked).toEqual([])
  })

  test('a key set that changes with each read is read at most twice a minute', async () => {
    const { server, sign, check } = await trustHonest()
    let reads = 0
    const rotate: Answer = (response: ServerResponse) => {
      reads++
      response.end(keySet({ ...ecJwk, kid: `read-${reads}` }))
    }
    server.answers['/keys'] = rotate
    const minutes = 5
    for (let half = 0; half < 2 * minutes; half++) {
      world.now += 30_000
      const kids = Array.from({ length: 20 }, (_, index) => `read-${reads + 2 + index}`)
      const tokens = await Promise.all(kids.map((kid) => sign({}, kid)))
      await Promise.all(tokens.map((token) => check(token)))
      // The key of the last read verifies.
      expect(await check(await sign({}, `read-${reads}`))).toBe(undefined)
    }
    expect(reads).toBe(2 * minutes)
    expect(server.asked).toHaveLength(2 * 2 * minutes)
  })

  test('two accounts that trust one issuer share no state of it', async () => {
    const { clientele, accountId, made, input, server, signByKey, check } = await trustHonest()
    const other = await world.addUser(clientele, { email: 'ada@example.com' })
    const claims = { iss: server.issuer, email: 'ada@example.com', email_verified: true }
    world.now += 2_000
    // The other account trusts it for something else, when it has another key.
    server.answers['/keys'] = { keys: [otherEcJwk] }
    const theirs = await clientele.trustedIssuers.create(other.accountId, {
      ...input,
      audience: 'theirs',
      userClaim: 'email',
    })
    const ours = await signByKey(claims)
    const their = await signByKey({ ...claims, aud: 'theirs' }, { kid: 'ec-2' }, otherEc.privateKey)
    const at = (token: string, account: string) => check(token, clientele, account)
    const outcomes = async () => [
      await at(ours, accountId),
      await at(their, accountId),
      await at(ours, other.accountId),
      await at(their, other.accountId),
    ]
    const unknown = 'token_unknown_key'
    expect(await outcomes()).toEqual([undefined, unknown, unknown, undefined])
    const { user } = await clientele.auth.validateToken(other.accountId, their)
    expect(user.id).toBe(other.user.id)
    await clientele.trustedIssuers.delete(accountId, made.id)
    expect(await outcomes()).toEqual([unknown, unknown, unknown, undefined])
    await clientele.trustedIssuers.delete(other.accountId, theirs.id)
    expect(await outcomes()).toEqual([unknown, unknown, unknown, unknown])
  })

  test("an account's issuer is not trusted by another account", async () => {
    const { clientele, server, sign, check } = await trustHonest()
    const other = await world.addUser(clientele, { email: 'eve@example.com' })
    const token = await sign({ sub: other.user.id })
    expect(await check(token, clientele, other.accountId)).toBe('token_unknown_key')
    expect(await check(await sign({ sub: other.user.id }))).toBe('token_user_not_found')
    expect(await check(await sign({ aud: [aud, other.accountId] }))).toBe(undefined)
    expect(server.asked).toEqual([])
  })

  test('1,000 validations during an outage share one request, and delay no other validation', async () => {
    const { accountId, server, sign, check } = await trustHonest()
    const { clientele: fresh } = await world.start({
      trustedIssuers: { allowPrivateAddresses: true },
    })
    let open = 0
    let most = 0
    server.answers[openId] = (response: ServerResponse) => {
      most = Math.max(most, ++open)
      response.on('close', () => open--)
    }
    world.now += 10 * 60_000
    const token = await sign()
    const round = (at = fresh) =>
      Promise.all(Array.from({ length: 1_000 }, () => check(token, at, accountId)))
    // A process that knows no keys yet waits for the server; others' work goes on meanwhile.
    let beats = 0
    const heart = setInterval(() => beats++, 10)
    onTestFinished(() => clearInterval(heart))
    const outcomes = await round()
    expect(new Set(outcomes)).toEqual(new Set(['token_unknown_key']))
    // 300 beats were due while the server was silent.
    expect(beats).toBeGreaterThan(100)
    expect([server.asked.length, most]).toEqual([1, 1])
    expect(new Set(await round())).toEqual(new Set(['token_unknown_key']))
    expect(server.asked).toHaveLength(1)
    world.now += 30_000
    const again = round()
    // Tokens of known keys do not wait.
    const known = await Promise.all(Array.from({ length: 100 }, () => check(token)))
    expect(new Set(known)).toEqual(new Set([undefined]))
    expect(new Set(await again)).toEqual(new Set(['token_unknown_key']))
    // One of each process
    expect(server.asked).toHaveLength(3)
    expect(most).toBeLessThanOrEqual(2)
  })
})
