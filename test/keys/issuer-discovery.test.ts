import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { byKeys, ecJwk, IssuerWorld, otherEc, otherEcJwk } from '../support/issuer-world.ts'
import { type Answer, discovered, openId, serveIssuer } from '../support/serve-issuer.ts'
import { issuesOf, LogRecorder } from './open-clientele.ts'

describe.each(anyDatabase)('keys that are discovered, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  const places: [string, string, string, string[]][] = [
    ['at the root', '', openId, [openId]],
    ['under a path', '/tenant', `/tenant${openId}`, [`/tenant${openId}`]],
    ['behind a slash', '/', openId, [openId]],
    [
      "in RFC 8414's form",
      '/tenant',
      '/.well-known/oauth-authorization-server/tenant',
      [`/tenant${openId}`, '/.well-known/oauth-authorization-server/tenant'],
    ],
    [
      "in RFC 8414's form for OpenID Connect",
      '/tenant',
      `${openId}/tenant`,
      [`/tenant${openId}`, '/.well-known/oauth-authorization-server/tenant', `${openId}/tenant`],
    ],
  ]
  test.each(places)('%s are found', async (_, path, place, requests) => {
    const { issuer, answers, asked, document } = await serveIssuer(path)
    Object.assign(answers, { [place]: document, '/keys': { keys: [ecJwk] } })
    const { issuer: made, signByKey, check } = await world.trusting(discovered(issuer))
    expect(made).toMatchObject({ keySource: 'discovery', jwksUrl: null, publicKeys: null })
    expect(asked).toEqual([...requests, '/keys'])
    expect(await check(await signByKey({ iss: issuer }))).toBe(undefined)
    expect(await check(await signByKey({ iss: `${issuer}x` }))).toBe('token_unknown_key')
    expect(asked.length).toBe(requests.length + 1)
  })

  test('on another host, as those of Google, are accepted, and found again when they move', async () => {
    const { issuer, answers, asked } = await serveIssuer()
    const [first, second] = [await serveIssuer(), await serveIssuer()]
    answers[openId] = { issuer, jwks_uri: `${first.origin}/certs` }
    first.answers['/certs'] = { keys: [ecJwk] }
    second.answers['/moved'] = { keys: [ecJwk, otherEcJwk] }
    const { signByKey, check } = await world.trusting(discovered(issuer))
    answers[openId] = { issuer, jwks_uri: `${second.origin}/moved` }
    world.now += 30_000
    const token = await signByKey({ iss: issuer }, { kid: 'ec-2' }, otherEc.privateKey)
    expect(await check(token)).toBe(undefined)
    expect([asked, first.asked, second.asked]).toEqual([[openId, openId], ['/certs'], ['/moved']])
  })

  test('stay when a document becomes invalid later, and the log has the reason', async () => {
    const { issuer, answers, document } = await serveIssuer()
    Object.assign(answers, { [openId]: document, '/keys': { keys: [ecJwk] } })
    const logger = new LogRecorder()
    const { signByKey, check } = await world.trusting(discovered(issuer), {
      logger,
      trustedIssuers: { allowPrivateAddresses: true },
    })
    answers[openId] = { ...document, issuer: 'https://login.example.org' }
    world.now += 10 * 60_000
    // On a busy machine an attempt may take too long: that is logged, too, and a minute later the next one is made.
    await expect
      .poll(
        async () => {
          world.now += 60_000
          expect(await check(await signByKey({ iss: issuer }))).toBe(undefined)
          return logger.lines.map(({ details }) => String(Reflect.get(details, 'error'))).join()
        },
        { interval: 1_000 },
      )
      .toContain('another name')
    expect(await check(await signByKey({ iss: issuer }))).toBe(undefined)
  })

  test('an issuer changes from keys to discovery and back', async () => {
    const { issuer: url, answers, document } = await serveIssuer()
    const { clientele, accountId, issuer } = await world.trusting({ ...byKeys, issuer: url })
    const update = (changes: Parameters<typeof clientele.trustedIssuers.update>[2]) =>
      clientele.trustedIssuers.update(accountId, issuer.id, changes)
    expect(await issuesOf(update({ publicKeys: null }))).toMatchObject([{ pointer: '/issuer' }])
    Object.assign(answers, { [openId]: document, '/keys': { keys: [ecJwk] } })
    expect(await update({ jwksUrl: null })).toMatchObject({ keySource: 'public_keys' })
    expect(await update({ publicKeys: null })).toMatchObject({
      keySource: 'discovery',
      publicKeys: null,
    })
    expect(await update({ jwksUrl: document.jwks_uri })).toMatchObject({ keySource: 'jwks_url' })
    expect(await update({ jwksUrl: null })).toMatchObject({ keySource: 'discovery' })
    expect(await update({ publicKeys: [ecJwk] })).toMatchObject({ keySource: 'public_keys' })
  })

  const good = { keys: [ecJwk] }
  type Document = { issuer: string; jwks_uri: string }
  const refused: [string, (document: Document) => Record<string, Answer>, string][] = [
    ['has no document', () => ({}), 'cannot be discovered: the answer has the status 404'],
    [
      'answers 500',
      () => ({ [openId]: (response: ServerResponse) => response.writeHead(500).end() }),
      'cannot be discovered: the answer has the status 500',
    ],
    [
      'has a list for a document',
      () => ({ [openId]: [] }),
      'cannot be discovered: the document is of',
    ],
    [
      'has null for one',
      () => ({ [openId]: null }),
      'cannot be discovered: the answer is not the metadata',
    ],
    [
      'is another one',
      (document) => ({ [openId]: { ...document, issuer: 'https://x.example' }, '/keys': good }),
      'cannot be discovered: the document is of an issuer with another name',
    ],
    [
      'has a slash more',
      (document) => ({ [openId]: { ...document, issuer: `${document.issuer}/` }, '/keys': good }),
      'another name',
    ],
    ['names no keys', ({ issuer }) => ({ [openId]: { issuer } }), 'names no jwks_uri'],
    [
      'names a list for its keys',
      (document) => ({ [openId]: { ...document, jwks_uri: [document.jwks_uri] }, '/keys': good }),
      'names no jwks_uri',
    ],
    [
      'has no key set',
      (document) => ({ [openId]: document }),
      'cannot be read: the answer has the status 404',
    ],
    [
      'has a key set that is none',
      (document) => ({ [openId]: document, '/keys': { key: [] } }),
      'has a document whose key set cannot be read: the answer is not a key set',
    ],
    [
      'has a key set of many names',
      (document) => ({
        [openId]: document,
        '/keys': {
          ...Object.fromEntries(Array.from({ length: 2_600 }, (_, index) => [`n${index}`, 0])),
          keys: [ecJwk],
        },
      }),
      'cannot be read: the answer has too many different member names',
    ],
    [
      'has no key for its algorithms',
      (document) => ({ [openId]: document, '/keys': { keys: [{ ...ecJwk, alg: 'ES384' }] } }),
      'no key that verifies signatures',
    ],
    [
      'has a key for another algorithm',
      (document) => ({
        [openId]: document,
        '/keys': {
          keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
        },
      }),
      'has no key that verifies one of the allowed algorithms',
    ],
    [
      'has a key that is no point of its curve',
      (document) => ({ [openId]: document, '/keys': { keys: [{ ...ecJwk, x: 'AAAA' }] } }),
      'has no key that verifies one of the allowed algorithms',
    ],
  ]
  test.each(refused)(
    'an issuer that %s is refused, new and as a change',
    async (_, answer, why) => {
      const { issuer, answers, document } = await serveIssuer()
      Object.assign(answers, answer(document))
      const { clientele, accountId, trust } = await world.openAccount()
      const issue = {
        pointer: '/issuer',
        code: 'key_source',
        message: expect.stringContaining(why),
      }
      expect(await issuesOf(trust(discovered(issuer)))).toEqual([issue])
      const made = await trust({ ...byKeys, issuer })
      const changed = clientele.trustedIssuers.update(accountId, made.id, { publicKeys: null })
      expect(await issuesOf(changed)).toEqual([issue])
      expect(await clientele.trustedIssuers.list(accountId)).toEqual([made])
    },
  )

  test.each([
    'login.example.com',
    'https://login.example.com/?a=b',
    'https://login.example.com/#a',
  ])('%s is refused as the address of a document', async (issuer) => {
    const { trust } = await world.openAccount()
    expect(await issuesOf(trust(discovered(issuer)))).toMatchObject([
      { pointer: '/issuer', code: 'url', message: expect.stringContaining('discovered') },
    ])
  })
})
