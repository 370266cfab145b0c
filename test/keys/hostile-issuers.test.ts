import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { aud, ecJwk, IssuerWorld, otherEc, otherEcJwk } from '../support/issuer-world.ts'
import { resolveNames } from '../support/resolve-names.ts'
import { type Answer, discovered, openId, serveIssuer } from '../support/serve-issuer.ts'
import { issuesOf, LogRecorder } from './open-clientele.ts'

const rsa = await generateKeyPair('RS256', { extractable: true })
const rsaJwk = { ...(await exportJWK(rsa.publicKey)), kid: 'rsa-1' }
const base64url = (bytes: number, last: number) =>
  Buffer.concat([Buffer.alloc(bytes - 1, 0xff), Buffer.of(last)]).toString('base64url')

/** Writes for as long as the client reads. */
function pour(response: ServerResponse, chunk: string, pauseMs = 0): void {
  const timer = setInterval(() => {
    if (response.writableLength < 1_000_000) response.write(chunk)
  }, pauseMs)
  response.on('close', () => clearInterval(timer))
}

const inPieces = (text: string, size: number) => {
  const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks.join('')}0\r\n\r\n`
}
const hints = (count: number) => 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(count)

const keySet = (...keys: object[]) => JSON.stringify({ keys })
// Made once and before the request: its 3 seconds pass on the same event loop.
const long = keySet(ecJwk, { kty: 'x', pad: 'x'.repeat(10_000_000) })
const packed = gzipSync(keySet(ecJwk, { pad: 'x'.repeat(50_000_000) }))
const hostileSets: [string, (response: ServerResponse) => void, string][] = [
  ['of 10 MB', (response) => response.end(long), 'longer than 262144 bytes'],
  ['without end', (response) => pour(response, ' '.repeat(10_000)), 'longer than 262144 bytes'],
  ['that drips', (response) => pour(response, ' ', 50), 'it takes too long'],
  [
    'in one-byte pieces',
    (response) => response.socket?.end(inPieces(keySet(ecJwk).padStart(100_000), 1)),
    'comes in too many pieces',
  ],
  [
    'behind many informational responses',
    (response) => response.socket?.end(hints(6) + inPieces(keySet(ecJwk), 10)),
    'too many informational responses',
  ],
  [
    'that never comes, behind continuations without end',
    (response) => {
      const { socket } = response
      const timer = setInterval(() => {
        if ((socket?.writableLength ?? 0) < 1_000_000)
          socket?.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000))
      })
      response.on('close', () => clearInterval(timer))
    },
    'too many informational responses',
  ],
  ['that never comes', () => {}, 'it takes too long'],
  [
    'that is somewhere else',
    (response) => response.writeHead(307, { location: '/moved' }).end(),
    '307',
  ],
  [
    'behind an upgrade',
    (response) =>
      response.socket?.end(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      ),
    'ends without an answer',
  ],
  [
    'that is packed',
    (response) => response.setHeader('content-encoding', 'gzip').end(packed),
    'compressed',
  ],
  [
    'nested 100,000 deep',
    (response) => response.end(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    'no key set',
  ],
  [
    'with keys nested 100,000 deep',
    (response) => {
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
      response.end(`{"keys":[{"kty":"EC","crv":${deep}},{"kty":${deep}}]}`)
    },
    'no key that verifies',
  ],
  [
    'of 80,000 keys that are none',
    (response) => response.end(`{"keys":[${'{},'.repeat(80_000)}{}]}`),
    'no key that verifies',
  ],
  [
    'of symmetric keys and of none',
    (response) =>
      response.end(
        keySet(
          { kty: 'oct', k: 'AAAA', kid: 'ec-1' },
          { kty: 'oct', k: 'AAAA', alg: 'HS256', kid: 'ec-1' },
          { ...ecJwk, alg: 'none' },
          { ...ecJwk, alg: 'HS256' },
          { ...ecJwk, use: 'enc' },
          { ...ecJwk, d: 'AAAA' },
          { ...ecJwk, crv: ['P-256'] },
          { ...ecJwk, crv: { toString: 1 } },
        ),
      ),
    'no key that verifies',
  ],
  [
    'of RSA keys that cost too much, or nothing',
    (response) =>
      response.end(
        keySet(
          { ...rsaJwk, e: base64url(1_024, 0xff) },
          { ...rsaJwk, e: base64url(9, 0xff) },
          { ...rsaJwk, e: 'AQ' },
          { ...rsaJwk, e: 'Ag' },
          { ...rsaJwk, n: base64url(1_025, 0xff) },
          { ...rsaJwk, n: base64url(100_000, 0xff) },
          { ...rsaJwk, n: base64url(128, 0xff) },
        ),
      ),
    'no key that verifies',
  ],
]

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
    'a key set %s is refused, and one that turns so changes nothing',
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

  test('a document on a private address is asked for nothing where these are closed', async () => {
    const { issuer, asked, answers, document } = await serveIssuer()
    Object.assign(answers, { [openId]: document, '/keys': { keys: [ecJwk] } })
    const { trust } = await world.openAccount({ trustedIssuers: {} })
    await resolveNames(() => ['127.0.0.1'])
    for (const name of [issuer, issuer.replace('http', 'https'), 'https://login.example.com'])
      expect(await issuesOf(trust(discovered(name)))).toMatchObject([{ pointer: '/issuer' }])
    expect(asked).toEqual([])
  })

  test('of keys with one id, a token may be verified by any of a few', async () => {
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

  test('one that rotates at each read is read twice a minute, whatever comes', async () => {
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

  test('1,000 validations during an outage share one request, and hold up nothing', async () => {
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
