import { randomUUID } from 'node:crypto'
import type { NewTrustedIssuer } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byOperator } from '../support/by-operator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { aud, byKeys, bySecret, byUrl, ecJwk, IssuerWorld, iss } from '../support/issuer-world.ts'
import { resolveNames } from '../support/resolve-names.ts'
import { codeOf, issuesOf, openRepository, send } from './open-clientele.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('trusted issuers on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  describe('registering', () => {
    test('writes events, and is listed without the secret, changed and deleted', async () => {
      const { clientele, accountId, signBySecret, signByKey, trust, check } =
        await world.openAccount()
      const events: unknown[] = []
      for (const name of ['issuer.created', 'issuer.updated', 'issuer.deleted'] as const)
        clientele.events.on(name, (event) => events.push([name, event]))
      const made = await trust(bySecret)
      expect(made).toMatchObject({ issuer: iss, keySource: 'shared_secret', userClaim: 'sub' })
      expect(JSON.stringify([made, await clientele.trustedIssuers.list(accountId)])).not.toContain(
        bySecret.sharedSecret,
      )
      const token = await signBySecret()
      expect(await check(token)).toBe(undefined)
      expect(await codeOf(trust(bySecret))).toBe('issuer_taken')

      const other = await trust({ ...byKeys, issuer: 'https://other.example' })
      const renamed = clientele.trustedIssuers.update(accountId, other.id, { issuer: iss })
      expect(await codeOf(renamed)).toBe('issuer_taken')
      expect(await check(token)).toBe(undefined)
      await clientele.trustedIssuers.delete(accountId, other.id)
      events.splice(1)

      await clientele.trustedIssuers.update(accountId, made.id, { audience: 'another' })
      expect(await check(token)).toBe('token_claims_invalid')
      expect(await check(await signBySecret({ aud: 'another' }))).toBe(undefined)
      const keyed = await clientele.trustedIssuers.update(accountId, made.id, {
        algorithms: ['ES256'],
        publicKeys: [ecJwk],
      })
      expect(keyed).toMatchObject({ keySource: 'public_keys', audience: ['another'] })
      expect(await check(await signBySecret({ aud: 'another' }))).toBe('token_unknown_key')
      expect(await check(await signByKey({ aud: 'another' }))).toBe(undefined)

      await clientele.trustedIssuers.delete(accountId, made.id)
      expect(await check(await signByKey({ aud: 'another' }))).toBe('token_unknown_key')
      expect(await codeOf(clientele.trustedIssuers.delete(accountId, made.id))).toBe(
        'issuer_not_found',
      )
      const event = { ...byOperator, accountId, issuerId: made.id, issuer: iss }
      expect(events).toEqual([
        ['issuer.created', event],
        ['issuer.updated', event],
        ['issuer.updated', event],
        ['issuer.deleted', event],
      ])
    })

    test('is seen by other processes within seconds', async () => {
      const { clientele, accountId, signBySecret, trust, check } = await world.openAccount()
      const { clientele: second } = await world.start()
      const token = await signBySecret()
      expect(await check(token, second)).toBe('token_unknown_key')
      const { id } = await trust(bySecret)
      world.now += 3_000
      expect(await check(token, second)).toBe(undefined)
      await clientele.trustedIssuers.delete(accountId, id)
      world.now += 3_000
      expect(await check(token, second)).toBe('token_unknown_key')
    })

    const wrong: Record<string, Partial<NewTrustedIssuer>> = {
      'our own name': { issuer: 'urn:clientele:account:<account>' },
      'no keys, and a name that is no URL': {
        sharedSecret: undefined,
        algorithms: ['ES256'],
        issuer: 'x',
      },
      'two kinds of keys': { jwksUrl: 'https://login.example.com/keys' },
      'no algorithm': { algorithms: [] },
      'a symmetric algorithm beside an asymmetric one': { algorithms: ['HS256', 'RS256'] },
      'a public key for a symmetric algorithm': {
        sharedSecret: undefined,
        publicKeys: [ecJwk],
      },
      'a key that no algorithm fits': {
        ...byKeys,
        algorithms: ['RS256'],
        sharedSecret: undefined,
      },
      'a private key': {
        ...byKeys,
        sharedSecret: undefined,
        publicKeys: [{ ...ecJwk, d: 'AAAA' }],
      },
      'a key with an id of 257 characters': {
        ...byKeys,
        sharedSecret: undefined,
        publicKeys: [{ ...ecJwk, kid: 'k'.repeat(257) }],
      },
      'a URL that is none': { sharedSecret: undefined, algorithms: ['ES256'], jwksUrl: 'keys' },
      'a URL with credentials': {
        sharedSecret: undefined,
        algorithms: ['ES256'],
        jwksUrl: 'https://a:b@example.com/',
      },
      'tokens without end': { maxLifetimeSeconds: 0 },
      'tokens that live for two years': { maxLifetimeSeconds: 2 * 366 * 86_400 },
      'a life that is no number': { maxLifetimeSeconds: '60' as never }, // what must be refused
      'trust that is neither given nor refused': { trustUnverifiedEmail: 1 as never },
      'a file': { sharedSecret: undefined, algorithms: ['ES256'], jwksUrl: 'file:///etc/passwd' },
    }
    test.each(Object.entries(wrong))('%s is refused', async (_, changes) => {
      const { clientele, accountId, trust } = await world.openAccount()
      const input = JSON.parse(
        JSON.stringify({ ...bySecret, ...changes }).replace('<account>', accountId),
      )
      expect(await codeOf(trust(input))).toBe('validation_failed')
      expect(await clientele.trustedIssuers.list(accountId)).toEqual([])
    })

    test('a change has to obey the same rules', async () => {
      const { clientele, accountId, issuer, signBySecret, check } = await world.trusting(bySecret)
      for (const changes of [
        { algorithms: ['ES256'] },
        { issuer: `urn:clientele:account:${accountId}` },
        { sharedSecret: 'x' },
      ]) {
        const outcome = codeOf(
          clientele.trustedIssuers.update(accountId, issuer.id, changes as never),
        ) // what must be refused
        expect(await outcome).toBe('validation_failed')
      }
      expect(await check(await signBySecret())).toBe(undefined)
    })

    test('private addresses are refused unless they are allowed', async () => {
      const { trust } = await world.openAccount({ trustedIssuers: {} })
      for (const host of [
        '127.0.0.1',
        '10.1.2.3',
        '169.254.169.254',
        '[::1]',
        '[::ffff:10.0.0.1]',
        '0x7f.1',
        'localhost',
      ]) {
        expect(await codeOf(trust(byUrl(`https://${host}/keys`)))).toBe('validation_failed')
      }
      // A name is looked at when it is resolved.
      await resolveNames(() => ['8.8.8.8', '127.0.0.1'])
      const outcome = trust(byUrl('https://keys.example.com/keys'))
      expect(await issuesOf(outcome)).toEqual([
        {
          pointer: '/jwksUrl',
          code: 'key_source',
          message:
            'cannot be read: its name leads to a private network ' +
            '(allowed by ALLOW_PRIVATE_ADDRESSES=true, allowPrivateAddresses in createClientele)',
        },
      ])
    })
  })

  describe('time', () => {
    test('expiry and time of issue are required and compared', async () => {
      const { signByKey, check } = await world.trusting(byKeys)
      expect(await check(await signByKey({ exp: undefined }))).toBe('token_claims_invalid')
      expect(await check(await signByKey({ iat: undefined }))).toBe('token_claims_invalid')
      expect(await check(await signByKey({ exp: world.seconds - 5 }))).toBe('token_expired')
      expect(await check(await signByKey({ iat: world.seconds + 6 }))).toBe('token_not_yet_valid')
      expect(await check(await signByKey({ nbf: world.seconds + 6 }))).toBe('token_not_yet_valid')
      expect(await check(await signByKey({ nbf: world.seconds + 5 }))).toBe(undefined)
    })

    test('a token lives for a day at most, or as long as the issuer may give it', async () => {
      const { clientele, accountId, issuer, signByKey, check } = await world.trusting(byKeys)
      expect(issuer.maxLifetimeSeconds).toBe(86_400)
      const living = (seconds: number, age = 0) => {
        const iat = world.seconds - age
        return signByKey({ iat, exp: iat + seconds })
      }
      expect(await check(await living(86_400))).toBe(undefined)
      expect(await check(await living(86_401))).toBe('token_claims_invalid')
      // What counts is how long it lives in all, not how long it still does.
      expect(await check(await living(86_401, 1))).toBe('token_claims_invalid')
      const changes = { maxLifetimeSeconds: 60 }
      const changed = await clientele.trustedIssuers.update(accountId, issuer.id, changes)
      expect(changed).toMatchObject(changes)
      expect(await clientele.trustedIssuers.list(accountId)).toMatchObject([changes])
      expect(await check(await living(60))).toBe(undefined)
      expect(await check(await living(61))).toBe('token_claims_invalid')
      await clientele.trustedIssuers.update(accountId, issuer.id, { audience: aud })
      expect(await check(await living(61))).toBe('token_claims_invalid')
      await clientele.trustedIssuers.update(accountId, issuer.id, {
        maxLifetimeSeconds: 31_536_000,
      })
      expect(await check(await living(31_536_000))).toBe(undefined)
    })

    test('a token that never ends is refused, also where its times are in milliseconds', async () => {
      const { signRaw, check } = await world.trusting({
        ...bySecret,
        maxLifetimeSeconds: 366 * 86_400,
      })
      const now = world.seconds
      expect(await check(await signRaw(`"iat":${now},"exp":${now + 60}`))).toBe(undefined)
      const endless = [
        `"iat":${now},"exp":1e400`,
        `"iat":1e400,"exp":1e400`,
        `"iat":-1e400,"exp":${now + 60}`,
        `"iat":${now},"exp":${now + 60},"nbf":-1e400`,
        `"iat":${now},"exp":${(now + 60) * 1000}`,
        `"iat":0,"exp":${now + 60}`,
      ]
      for (const times of endless)
        expect([times, await check(await signRaw(times))]).toEqual([times, 'token_claims_invalid'])
    })

    test('a new password revokes tokens that were issued before, or in the same second', async () => {
      const { clientele, accountId, user, signByKey, check } = await world.trusting(byKeys)
      const before = await signByKey()
      await clientele.users.patch(accountId, user.id, { password: 'another password' })
      const sameSecond = await signByKey()
      world.now += 1_000
      const after = await signByKey()
      expect(await check(before)).toBe('token_revoked')
      expect(await check(sameSecond)).toBe('token_revoked')
      expect(await check(after)).toBe(undefined)
    })

    test('deactivation takes effect at once, and earlier tokens stay revoked', async () => {
      const { clientele, accountId, user, signByKey, check } = await world.trusting(byKeys)
      const token = await signByKey()
      await clientele.users.deactivate(accountId, user.id)
      expect(await check(token)).toBe('token_user_inactive')
      await clientele.users.activate(accountId, user.id)
      expect(await check(token)).toBe('token_revoked')
    })

    test('deletion takes effect at once', async () => {
      const { clientele, accountId, user, signByKey, check } = await world.trusting(byKeys)
      const token = await signByKey()
      await clientele.users.delete(accountId, user.id)
      expect(await check(token)).toBe('token_user_not_found')
    })
  })

  describe('the claim that names the user', () => {
    test('user_id names the user by id, email by address, and a missing claim is refused', async () => {
      const { clientele, accountId, user, issuer, signByKey, check } = await world.trusting({
        ...byKeys,
        userClaim: 'user_id',
      })
      const { email } = user
      expect(await check(await signByKey({ sub: 'x', user_id: user.id }))).toBe(undefined)
      expect(await check(await signByKey())).toBe('token_claims_invalid')
      await clientele.trustedIssuers.update(accountId, issuer.id, { userClaim: 'email' })
      const sign = (changes: object) => signByKey({ email_verified: true, ...changes })
      expect(await check(await sign({ email }))).toBe(undefined)
      expect(await check(await sign({ email: ` ${email.toUpperCase()}` }))).toBe(undefined)
      expect(await check(await sign({ email: 'eve@example.com' }))).toBe('token_user_not_found')
      expect(await check(await sign({ email: [email] }))).toBe('token_claims_invalid')
      expect(await check(await sign({}))).toBe('token_claims_invalid')
    })

    test('a new user with the same address does not inherit tokens', async () => {
      const { clientele, accountId, user, credentials, signByKey, check } = await world.trusting({
        ...byKeys,
        userClaim: 'email',
      })
      const { email } = user
      const claims = { email, email_verified: true, exp: world.seconds + 3600 }
      const token = await signByKey(claims)
      expect(await check(token)).toBe(undefined)
      await clientele.users.delete(accountId, user.id)
      expect(await check(token)).toBe('token_user_not_found')
      world.now += 10_000
      await clientele.users.create(accountId, { name: 'Ada', ...credentials })
      expect(await check(token)).toBe('token_revoked')
    })
  })

  test('over HTTP and in the guard of an account, the token is accepted like ours', async () => {
    const { clientele, accountId, user, signByKey } = await world.trusting(byKeys)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    // A session id that is not one of the user's changes nothing: it is the issuer's.
    const token = await signByKey({ sid: randomUUID() })
    const ask = (text: string) =>
      send(clientele, 'POST', '/client/user/auth/validation-token', {
        key,
        body: { token: `Bearer ${text}` },
      })
    expect(await ask(token)).toMatchObject({
      status: 200,
      body: { isValid: true, user: { id: user.id } },
    })
    expect(await ask(await signByKey({ aud: 'x' }))).toMatchObject({
      status: 401,
      body: { isValid: false, code: 'token_claims_invalid' },
    })
    const authorization = `Bearer ${token}`
    const request = { headers: { authorization }, rawHeaders: ['Authorization', authorization] }
    expect(await clientele.guard(request, { accountId })).toMatchObject({
      user: { id: user.id },
      accountId,
    })
    expect(await clientele.guard(request)).toMatchObject({ response: { status: 401 } })
  })

  test('a token of somebody who acts as the user says so, whether it names them or not', async () => {
    const { clientele, accountId, signByKey } = await world.trusting(byKeys)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const ask = async (path: string, token: string, type: string) => {
      const request = { key, body: { token }, type }
      return (await send(clientele, 'POST', `/client/user/auth/${path}`, request)).body
    }
    const introspect = (token: string) =>
      ask('introspect', token, 'application/x-www-form-urlencoded')
    const shown = { auth_time: world.seconds, amr: ['pwd'] }
    for (const [act, told] of [
      [{ sub: 'support' }, { sub: 'support' }],
      [{ sub: 7 }, {}],
      ['support', {}],
      [null, {}],
    ]) {
      const token = await signByKey({ act, ...shown })
      const validation = await ask('validation-token', `Bearer ${token}`, 'application/json')
      expect(validation).toMatchObject({ isValid: true, act: told })
      const introspection = await introspect(token)
      expect(introspection).toMatchObject({ active: true, act: told, auth_time: 0, amr: [] })
    }
    const own = await introspect(await signByKey(shown))
    expect(own).toMatchObject(shown)
    expect(own).not.toHaveProperty('act')
  })

  test('the shared secret is kept encrypted, and follows a change of the secret', async () => {
    const { signBySecret, check } = await world.trusting(bySecret)
    const repository = openRepository(database.url)
    const options = { ofUsers: false, after: undefined }
    const stored = await repository.storage.listStaleSecrets('another secret', options)
    await repository.storage.close()
    expect(stored).not.toEqual([])
    expect(JSON.stringify(stored)).not.toContain(bySecret.sharedSecret)
    const [old, fresh] = [
      'a secret of the tests, 32 characters',
      'another secret of the tests, longer',
    ]
    const { clientele: between } = await world.start({ secrets: [fresh, old] })
    expect(await check(await signBySecret(), between)).toBe(undefined)
    const { clientele: after } = await world.start({ secrets: [fresh] })
    expect(await check(await signBySecret(), after)).toBe(undefined)
    // The other tests on this database know the old one only.
    await world.start({ secrets: [old, fresh] })
  })
})
