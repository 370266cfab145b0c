import type { ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import {
  byUrl,
  ecJwk,
  IssuerWorld,
  iss,
  otherEc,
  otherEcJwk,
  serveKeys,
} from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { issuesOf } from './open-clientele.ts'

const rsa = await generateKeyPair('RS256', { extractable: true })
const rsaJwk = { ...(await exportJWK(rsa.publicKey)), kid: 'rsa-1' }

describe.each(anyDatabase)('keys behind a URL on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function trustServer() {
    const server = await serveKeys(ecJwk)
    const opened = await world.trusting({
      ...byUrl(server.url),
      algorithms: ['ES256', 'RS256'],
    })
    const signOther = () => opened.signByKey({}, { kid: 'ec-2' }, otherEc.privateKey)
    return { ...opened, server, signOther }
  }

  test('are read once, and again for an unknown key, but not more than every 30 s', async () => {
    const { server, signByKey, signOther, check } = await trustServer()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => signByKey()))
    expect(await Promise.all(tokens.map((token) => check(token)))).toEqual(
      tokens.map(() => undefined),
    )
    expect(server.requests).toBe(1)
    server.serve(ecJwk, otherEcJwk, rsaJwk)
    for (let round = 0; round < 5; round++)
      expect(await check(await signOther())).toBe('token_unknown_key')
    expect(server.requests).toBe(1)
    world.now += 30_000
    expect(await check(await signOther())).toBe(undefined)
    const rs256 = { alg: 'RS256', kid: 'rsa-1' }
    expect(await check(await signByKey({}, rs256, rsa.privateKey))).toBe(undefined)
    expect(server.requests).toBe(2)
  })

  test('that the issuer has withdrawn are forgotten after ten minutes', async () => {
    const { server, signByKey, check } = await trustServer()
    expect(await check(await signByKey())).toBe(undefined)
    server.serve(otherEcJwk)
    world.now += 10 * 60_000
    await check(await signByKey())
    await expect.poll(() => server.requests).toBe(2)
    await expect.poll(async () => check(await signByKey())).toBe('token_unknown_key')
  })

  const stalls: Record<string, (response: ServerResponse) => void> = {
    'never answers': () => {},
    'stops in the middle': (response) => void response.write('{"keys":['),
  }
  const lies: Record<string, (response: ServerResponse) => void> = {
    ...stalls,
    'answers 500': (response) => response.writeHead(500).end('{}'),
    'redirects elsewhere': (response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'answers with nonsense': (response) => response.end('<html>'),
    'answers with null': (response) => response.end('null'),
    'answers with no keys': (response) => response.end('{"keys":[]}'),
    'answers with junk for keys': (response) =>
      response.end('{"keys":[null,1,{"kty":"oct","k":"AAAA","kid":"ec-1"}]}'),
    'answers without end': (response) => response.end(`{"keys":[${'{},'.repeat(200_000)}{}]}`),
    'breaks the connection': (response) => void response.destroy(),
  }
  test.each(Object.entries(lies))('stay when the server %s', async (name, lie) => {
    const { clientele, accountId, credentials, server, signByKey, signOther, check } =
      await trustServer()
    expect(await check(await signByKey())).toBe(undefined)
    let isClosed = false
    server.answer = (response) => {
      response.on('close', () => {
        isClosed = true
      })
      lie(response)
    }
    world.now += 10 * 60_000
    for (let round = 0; round < 20; round++) expect(await check(await signByKey())).toBe(undefined)
    const ours = await logIn(clientele, accountId, credentials)
    expect(await check(ours.token)).toBe(undefined)
    expect(server.requests).toBe(2)
    // A validation that waits for the server waits until the client gives up.
    if (name in stalls) expect(isClosed).toBe(false)
    // An unknown key waits for the server, and no longer than the time limit.
    expect(await check(await signOther())).toBe('token_unknown_key')
    await expect.poll(() => isClosed).toBe(true)
    expect(await check(await signByKey())).toBe(undefined)
    server.serve(ecJwk, otherEcJwk)
    world.now += 30_000
    expect(await check(await signOther())).toBe(undefined)
  })

  test.runIf(runsEveryTest)(
    'are not read again if more issuers take turns than have their keys imported',
    async () => {
      const { clientele, accountId, server, signByKey, check } = await trustServer()
      const issuers = Array.from({ length: 1_100 }, (_, number) => `${iss}/${number}`)
      for (const issuer of issuers)
        await clientele.trustedIssuers.create(accountId, { ...byUrl(server.url), issuer })
      const { requests } = server
      expect(requests).toBe(1 + issuers.length)
      const tokens = await Promise.all(issuers.map((issuer) => signByKey({ iss: issuer })))
      for (const token of tokens) expect(await check(token)).toBe(undefined)
      expect(server.requests).toBe(requests)
      // Another process reads each once, also where nothing comes of it.
      const other = (await world.start({ trustedIssuers: { allowPrivateAddresses: true } }))
        .clientele
      server.answer = (response) => response.writeHead(500).end()
      for (const token of [...tokens, ...tokens])
        expect(await check(token, other)).toBe('token_unknown_key')
      expect(server.requests).toBe(requests + issuers.length)
    },
    120_000,
  )

  test('outlive an outage for an hour after they were last read, and no longer', async () => {
    const { server, signByKey, check } = await trustServer()
    world.now += 10 * 60_000
    expect(await check(await signByKey())).toBe(undefined)
    await expect.poll(() => server.requests).toBe(2)
    server.answer = (response) => response.writeHead(500).end()
    // From here on they were read just now.
    for (let minutes = 0; minutes < 60; minutes += 10) {
      expect([minutes, await check(await signByKey())]).toEqual([minutes, undefined])
      world.now += 10 * 60_000
    }
    // The first may share an attempt that began earlier; the second then makes one, and waits for it.
    expect(await check(await signByKey())).toBe('token_unknown_key')
    expect(await check(await signByKey())).toBe('token_unknown_key')
    const { requests } = server
    for (let round = 0; round < 20; round++)
      expect(await check(await signByKey())).toBe('token_unknown_key')
    expect(server.requests).toBe(requests)
    server.serve(ecJwk)
    world.now += 30_000
    expect(await check(await signByKey())).toBe(undefined)
    expect(server.requests).toBe(requests + 1)
  })

  test('are not read for changes of other settings', async () => {
    const { clientele, accountId, issuer, server, signByKey, check } = await trustServer()
    server.answer = (response) => response.writeHead(500).end()
    await clientele.trustedIssuers.update(accountId, issuer.id, { audience: 'x' })
    expect(await check(await signByKey({ aud: 'x' }))).toBe(undefined)
    expect(server.requests).toBe(1)
    const update = clientele.trustedIssuers.update(accountId, issuer.id, { algorithms: ['ES256'] })
    expect(await issuesOf(update)).toEqual([
      {
        pointer: '/jwksUrl',
        code: 'key_source',
        message: 'cannot be read: the answer has the status 500',
      },
    ])
    expect(server.requests).toBe(2)
  })
})
