import type { Clientele } from '@clientele/core'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const day = 86_400_000
const lowestId = '00000000-0000-0000-0000-000000000000'

describe.each(databases)("a user's own token, on $name", ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start() {
    const { clientele } = await world.start()
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    const input = { name: 'Deploy script', scopes: ['deploy', 'read', 'deploy'] }
    const { token, ...made } = await clientele.userTokens.create(accountId, user.id, input)
    const check = () => codeOf(clientele.auth.validateToken(accountId, token))
    return { clientele, ...added, token, made, check }
  }

  const eventsOf = async (clientele: Clientele, accountId: string) => {
    const { data } = await clientele.events.read(accountId, { types: ['user_token.*'] })
    return data.map(({ type, data: about }) => [type, about])
  }

  test('names its user, with its scopes, in one statement and without a sign-in', async () => {
    const { clientele, accountId, user, token, made } = await start()
    expect(token).toMatch(/^cut_live_[0-9A-Za-z]{71}$/)
    expect(made.scopes).toEqual(['deploy', 'read'])
    const { userToken, claims, ...validated } = await clientele.auth.validateToken(accountId, token)
    expect(validated).toEqual({ user, accountId, trustedIssuerId: null })
    const { id, name, scopes } = made
    expect(userToken).toEqual({ id, name, scopes, expiresAt: null })
    const names = { sub: user.id, aud: accountId, client_id: accountId, jti: id }
    expect(claims).toMatchObject({ ...names, scope: 'deploy read' })
    expect(claims).not.toHaveProperty('auth_time')
    expect(claims).not.toHaveProperty('amr')
  })

  test('is listed, renamed and revoked, and each is an event without its name', async () => {
    const { clientele, accountId, user, made, check } = await start()
    const { userTokens } = clientele
    expect(await userTokens.list(accountId, user.id)).toEqual([made])
    const renamed = await userTokens.rename(accountId, user.id, made.id, { name: ' CI ' })
    expect(renamed).toEqual({ ...made, name: 'CI' })
    await userTokens.revoke(accountId, user.id, made.id)
    expect(await check()).toBe('token_revoked')
    expect(await userTokens.list(accountId, user.id)).toEqual([])
    const again = [
      userTokens.revoke(accountId, user.id, made.id),
      userTokens.rename(accountId, user.id, made.id, { name: 'CI' }),
    ]
    const codes = await Promise.all(again.map((each) => codeOf(each)))
    expect(codes).toEqual(['user_token_not_found', 'user_token_not_found'])
    const tokenId = made.id
    expect(await eventsOf(clientele, accountId)).toEqual([
      ['user_token.created', { tokenId, scopes: ['deploy', 'read'], expiresAt: null }],
      ['user_token.updated', { tokenId }],
      ['user_token.revoked', { tokenIds: [tokenId], reason: 'requested' }],
    ])
  })

  test('is refused by a code: expired, unknown, of another account, not whole', async () => {
    const { clientele, accountId, user, token } = await start()
    const { token: short } = await clientele.userTokens.create(accountId, user.id, {
      name: 'Short',
      expiresIn: 60,
    })
    const validate = (account: string, text: string) =>
      codeOf(clientele.auth.validateToken(account, text))
    world.now += 60_000
    expect(await validate(accountId, short)).toBe('token_expired')
    const { id: other } = await clientele.accounts.create({ name: 'Globex' })
    expect(await validate(other, token)).toBe('token_unknown_key')
    const last = token.endsWith('0') ? '1' : '0'
    expect(await validate(accountId, token.slice(0, -1) + last)).toBe('token_malformed')
    expect(await validate(accountId, `${token}x`)).toBe('token_malformed')
    const tokens = [token, short, token]
    const results = await clientele.auth.validateTokens(accountId, tokens)
    expect(results.map((each) => (each.isValid ? each.userToken?.name : each.code))).toEqual([
      ...['Deploy script', 'token_expired', 'Deploy script'],
    ])
    await clientele.accounts.disable(accountId)
    expect(await validate(accountId, token)).toBe('token_revoked')
  })

  test('lives through another password, unless it is to end with it', async () => {
    const { clientele, accountId, user, check } = await start()
    await clientele.users.patch(accountId, user.id, { password: 'another one' })
    expect(await check()).toBeUndefined()
    const ends = { revokeTokens: true }
    const without = clientele.users.patch(accountId, user.id, { name: 'Ada B' }, ends)
    expect(await codeOf(without)).toBe('validation_failed')
    expect(await check()).toBeUndefined()
    await clientele.users.patch(accountId, user.id, { password: 'a third one' }, ends)
    expect(await check()).toBe('token_revoked')
    const { data } = await clientele.events.read(accountId, { types: ['user.updated'] })
    expect(data.map((event) => Reflect.get(event.data, 'revokedTokens'))).toEqual([undefined, true])
  })

  test('ends with a deactivation, for good, however it is made', async () => {
    const ways = [
      ({ clientele, accountId, user }: Awaited<ReturnType<typeof start>>) =>
        clientele.users.deactivate(accountId, user.id),
      ({ clientele, accountId, user }: Awaited<ReturnType<typeof start>>) =>
        clientele.users.patch(accountId, user.id, { isActive: false, name: 'Ada B' }),
      ({ clientele, accountId, user }: Awaited<ReturnType<typeof start>>) =>
        clientele.users.import(
          accountId,
          [{ line: 1, value: { name: user.name, email: user.email, isActive: false } }],
          { onConflict: 'update' },
        ),
    ]
    for (const deactivate of ways) {
      const started = await start()
      const { clientele, accountId, user, check } = started
      await deactivate(started)
      expect(await check()).toBe('token_user_inactive')
      const making = clientele.userTokens.create(accountId, user.id, { name: 'New' })
      expect(await codeOf(making)).toBe('user_inactive')
      await clientele.users.activate(accountId, user.id)
      expect(await check()).toBe('token_revoked')
    }
  })

  test('ends for good where an import deactivates its user, and activates the user again', async () => {
    const { clientele, accountId, user, check } = await start()
    const { name, email } = user
    const records = [false, true].map((isActive, index) => ({
      line: index + 1,
      value: { name, email, isActive },
    }))
    await clientele.users.import(accountId, records, { onConflict: 'update' })
    expect((await clientele.users.find(accountId, user.id)).user.isActive).toBe(true)
    expect(await check()).toBe('token_revoked')
  })

  test('ends with a deletion', async () => {
    const { clientele, accountId, user, check } = await start()
    await clientele.users.delete(accountId, user.id)
    expect(await check()).toBe('token_unknown_key')
  })

  test('ends with the first proof of the address: a stranger may have made it before', async () => {
    const { clientele, accountId, user, made, check } = await start()
    await world.proveAddress(accountId, user.email)
    expect(await check()).toBe('token_unknown_key')
    const [, ended] = await eventsOf(clientele, accountId)
    const data = { tokenIds: [made.id], reason: 'address_proved' }
    expect(ended).toEqual(['user_token.revoked', data])
    const { token } = await clientele.userTokens.create(accountId, user.id, { name: 'Later' })
    await world.proveAddress(accountId, user.email)
    expect(await codeOf(clientele.auth.validateToken(accountId, token))).toBeUndefined()
  })

  test('is one of fifty that live, also when many are made at once', async () => {
    const { clientele, accountId, user } = await start()
    const make = (expiresIn: number | null = null) =>
      codeOf(clientele.userTokens.create(accountId, user.id, { name: 'One', expiresIn }))
    const made = await Promise.all(Array.from({ length: 51 }, () => make(60)))
    expect(made.filter((code) => code === 'user_token_limit_reached')).toHaveLength(2)
    world.now += 60_000
    // Those that have expired are not counted, and are not kept beyond their own fifty.
    for (const _ of Array.from({ length: 4 })) expect(await make(60)).toBeUndefined()
    expect(await clientele.userTokens.list(accountId, user.id)).toHaveLength(54)
    await clientele.userTokens.revokeAll(accountId, user.id)
    expect(await make()).toBeUndefined()
    expect(await clientele.userTokens.list(accountId, user.id)).toHaveLength(1)
  })

  test('has the time of its last use, to a minute', async () => {
    const { clientele, accountId, user, check } = await start()
    const lastUse = async () =>
      (await clientele.userTokens.list(accountId, user.id))[0]?.lastUsedAt?.getTime()
    const first = world.now
    await check()
    await expect.poll(lastUse).toBe(first)
    world.now += 59_000
    await check()
    expect(await lastUse()).toBe(first)
    world.now += 1_000
    await check()
    await expect.poll(lastUse).toBe(world.now)
  })

  test('is exchanged for a JWT with its scopes, which ends with it and in the feed', async () => {
    const { clientele, accountId, user, token, made } = await start()
    const { token: jwt, expiresIn } = await clientele.auth.exchangeToken(accountId, token)
    expect(expiresIn).toBe(600)
    const claims = { sub: user.id, scope: 'deploy read', sid: made.id, user_token_id: made.id }
    expect(decodeJwt(jwt)).toMatchObject({ ...claims, amr: [] })
    expect(decodeJwt(jwt)).not.toHaveProperty('auth_time')
    const check = () => codeOf(clientele.auth.validateToken(accountId, jwt))
    expect(await check()).toBeUndefined()
    expect(await codeOf(clientele.auth.exchangeToken(accountId, jwt))).toBe('token_malformed')
    const batch = await clientele.auth.validateTokens(accountId, [jwt, token])
    const { id, name, scopes, expiresAt } = made
    const ofToken = { isValid: true, userToken: { id, name, scopes, expiresAt } }
    expect(batch).toMatchObject([ofToken, ofToken])
    await clientele.userTokens.revoke(accountId, user.id, made.id)
    expect(await check()).toBe('token_revoked')
    const { data } = await clientele.revocations.read(accountId)
    expect(data).toMatchObject([{ type: 'session', sessionId: made.id }])
    const gone = clientele.auth.exchangeToken(accountId, token)
    expect(await codeOf(gone)).toBe('token_revoked')
  })

  test('gives no JWT that outlives it, or the event that ends the tokens of the user', async () => {
    const { clientele, accountId, user, token } = await start()
    const short = await clientele.userTokens.create(accountId, user.id, {
      name: 'Short',
      expiresIn: 90,
    })
    expect((await clientele.auth.exchangeToken(accountId, short.token)).expiresIn).toBe(90)
    const { token: jwt } = await clientele.auth.exchangeToken(accountId, token)
    world.now += 1_000
    await clientele.users.patch(accountId, user.id, { password: 'another one' })
    expect(await codeOf(clientele.auth.validateToken(accountId, jwt))).toBe('token_revoked')
    world.now += 1
    const { token: next } = await clientele.auth.exchangeToken(accountId, token)
    expect(await codeOf(clientele.auth.validateToken(accountId, next))).toBeUndefined()
  })

  test('keeps its JWT while the user gets another address, as the feed of revocations does', async () => {
    const { clientele, accountId, user, token, check } = await start()
    const { token: jwt } = await clientele.auth.exchangeToken(accountId, token)
    world.now += 1_000
    await clientele.users.patch(accountId, user.id, { email: `new-${user.email}` })
    expect(await check()).toBeUndefined()
    expect(await codeOf(clientele.auth.validateToken(accountId, jwt))).toBeUndefined()
    expect((await clientele.revocations.read(accountId)).data).toEqual([])
  })

  test('gives no JWT that another password keeps, also not where it is named as the session to keep', async () => {
    const { clientele, accountId, user, token, made } = await start()
    const { token: jwt } = await clientele.auth.exchangeToken(accountId, token)
    world.now += 1
    const kept = { keepSessionId: made.id }
    await clientele.users.patch(accountId, user.id, { password: 'another one' }, kept)
    expect(await codeOf(clientele.auth.validateToken(accountId, jwt))).toBe('token_revoked')
    const { data } = await clientele.revocations.read(accountId)
    expect(data).toEqual([{ type: 'user', userId: user.id, notBefore: new Date(world.now) }])
  })

  test('is gone with the first proof of the address, and its JWT is revoked: its user is there', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const { token } = await clientele.userTokens.create(accountId, user.id, { name: 'CI' })
    const { token: jwt } = await clientele.auth.exchangeToken(accountId, token)
    const validate = (text: string) => codeOf(clientele.auth.validateToken(accountId, text))
    expect(await validate(jwt)).toBeUndefined()
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const proof = { token: await mailed('password_reset'), password: 'another one' }
    await clientele.auth.resetPassword(accountId, proof)
    expect(await validate(token)).toBe('token_unknown_key')
    expect(await validate(jwt)).toBe('token_revoked')
    const sent = [jwt, token]
    const results = await clientele.auth.validateTokens(accountId, sent)
    expect(results.map((each) => 'code' in each && each.code)).toEqual([
      'token_revoked',
      'token_unknown_key',
    ])
  })

  test('enrols no passkey, nor does its JWT', async () => {
    const { clientele, accountId, user, token } = await start()
    await clientele.accounts.setPasskeys(accountId, {
      rpId: 'example.com',
      rpName: 'Acme',
      origins: ['https://example.com'],
    })
    const begin = (text: string) =>
      codeOf(clientele.passkeys.beginEnrolment(accountId, user.id, { token: `Bearer ${text}` }))
    const { token: jwt } = await clientele.auth.exchangeToken(accountId, token)
    for (const text of [token, jwt]) expect(await begin(text)).toBe('token_claims_invalid')
  })

  test('is told apart after it has ended, if it is one of the last fifty, whenever it was made', async () => {
    const { clientele, accountId, user, made, check } = await start()
    const { userTokens } = clientele
    const add = () => userTokens.create(accountId, user.id, { name: 'Other' })
    for (let count = 0; count < 50; count++) {
      const { id } = await add()
      await userTokens.revoke(accountId, user.id, id)
    }
    world.now += 1_000
    await userTokens.revoke(accountId, user.id, made.id)
    await add()
    expect(await check()).toBe('token_revoked')
  })

  test('is forgotten a month after it has ended', async () => {
    const { clientele, accountId, user, made, check } = await start()
    await clientele.userTokens.revoke(accountId, user.id, made.id)
    const kept = async () => (await clientele.users.exportData(accountId, user.id)).userTokens
    expect(await kept()).toMatchObject([{ id: made.id, revokedAt: new Date(world.now) }])
    world.now += 30 * day + 1
    const repository = openRepository(database.url)
    await repository.storage.sweep(lowestId, { now: world.now, eventsBefore: 0 })
    await repository.storage.close()
    expect(await check()).toBe('token_unknown_key')
    expect(await kept()).toEqual([])
  })
})
