import type { ClienteleEvents } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { byKeys, IssuerWorld, iss } from '../support/issuer-world.ts'

const databases = eitherDatabase(import.meta.filename)

const google = { issuer: 'https://accounts.google.com', subject: '110169484474386276334' }

describe.each(databases)('identities on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('linking and unlinking write one event each, with the user', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const heard: (ClienteleEvents['identity.linked'] | ClienteleEvents['identity.unlinked'])[] = []
    clientele.events.on('identity.linked', (event) => heard.push(event))
    clientele.events.on('identity.unlinked', (event) => heard.push(event))
    const identity = await clientele.identities.link(accountId, user.id, google)
    expect(await clientele.identities.link(accountId, user.id, google)).toEqual(identity)
    expect(await clientele.identities.list(accountId, user.id)).toEqual([identity])
    await clientele.identities.unlink(accountId, user.id, identity.id)
    expect(await codeOf(clientele.identities.unlink(accountId, user.id, identity.id))).toBe(
      'identity_not_found',
    )
    const told = { user, ...google, identityId: identity.id }
    const linked = { ...told, revokedCredentials: false }
    expect(heard).toEqual([expect.objectContaining(told), expect.objectContaining(told)])
    const { data } = await clientele.events.read(accountId, { types: ['identity.*'] })
    expect(data.map((event) => [event.type, event.data])).toEqual([
      ['identity.linked', linked],
      ['identity.unlinked', told],
    ])
  })

  test('if sixteen users are linked to one identity at once, one gets it', async () => {
    const processes = [(await world.start()).clientele, (await world.start()).clientele]
    const [clientele] = processes
    if (clientele === undefined) throw new Error('No process.')
    const { accountId, user } = await world.addUser(clientele)
    const users = [user.id]
    for (let count = 1; count < 16; count++)
      users.push((await world.addUser(clientele, { accountId })).user.id)
    for (let round = 0; round < 4; round++) {
      const name = { ...google, subject: `round ${round}` }
      const outcomes = await Promise.all(
        users.map((id, index) =>
          codeOf((processes[index % 2] ?? clientele).identities.link(accountId, id, name)),
        ),
      )
      expect(outcomes.filter((code) => code === undefined)).toHaveLength(1)
      expect(outcomes.filter((code) => code === 'identity_taken')).toHaveLength(15)
    }
    const { data } = await clientele.events.read(accountId, { types: ['identity.linked'] })
    expect(data).toHaveLength(4)
  })

  test('if many identities are linked to one user at once, twenty succeed', async () => {
    const processes = [(await world.start()).clientele, (await world.start()).clientele]
    const [clientele] = processes
    if (clientele === undefined) throw new Error('No process.')
    const { accountId, user } = await world.addUser(clientele)
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const name = { ...google, subject: `${index}` }
        return codeOf((processes[index % 2] ?? clientele).identities.link(accountId, user.id, name))
      }),
    )
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(20)
    expect(outcomes.filter((code) => code === 'identity_limit_reached')).toHaveLength(10)
    expect(await clientele.identities.list(accountId, user.id)).toHaveLength(20)
  })

  test('identities are deleted with their user, and are free for another', async () => {
    const { clientele } = await world.start()
    for (const end of ['delete', 'erase'] as const) {
      const { accountId, user } = await world.addUser(clientele)
      const heir = await world.addUser(clientele, { accountId })
      await clientele.identities.link(accountId, user.id, google)
      const link = () => codeOf(clientele.identities.link(accountId, heir.user.id, google))
      expect(await link()).toBe('identity_taken')
      await clientele.users[end](accountId, user.id)
      expect(await codeOf(clientele.identities.list(accountId, user.id))).toBe('user_not_found')
      expect(await link()).toBeUndefined()
    }
  })

  test('a claim of a trusted issuer finds the user with exactly that identity', async () => {
    const issuer = { ...byKeys, userClaim: 'oid' }
    const { clientele, accountId, user, signByKey, check } = await world.trusting(issuer)
    const link = (subject: string, issuer = iss) =>
      clientele.identities.link(accountId, user.id, { issuer, subject })
    const { id } = await link('A-1')
    await link('A-2', `${iss}/`)
    const sign = (oid: unknown) => signByKey({ oid, sub: undefined })
    expect(await check(await sign('A-1'))).toBeUndefined()
    const { data } = await clientele.events.read(accountId, { types: ['identity.*'] })
    expect(data).toHaveLength(2)
    for (const oid of ['a-1', 'A-1 ', 'A-2', user.id, '', 'A-1\0', '\ud800', 'x'.repeat(10_000)])
      expect([oid, await check(await sign(oid))]).toEqual([oid, 'token_user_not_found'])
    for (const oid of [undefined, 1, null, ['A-1'], { a: 'A-1' }])
      expect([oid, await check(await sign(oid))]).toEqual([oid, 'token_claims_invalid'])
    await clientele.users.deactivate(accountId, user.id)
    expect(await check(await sign('A-1'))).toBe('token_user_inactive')
    await clientele.users.activate(accountId, user.id)
    expect(await check(await sign('A-1'))).toBe('token_revoked')
    world.now += 1_000
    expect(await check(await sign('A-1'))).toBeUndefined()
    await clientele.identities.unlink(accountId, user.id, id)
    expect(await check(await sign('A-1'))).toBe('token_user_not_found')
  })

  test('a subject with a lone surrogate or NUL is refused in process, too', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    for (const subject of ['\ud800', 'a\0', '', 'x'.repeat(256)])
      expect(
        await codeOf(clientele.identities.link(accountId, user.id, { ...google, subject })),
      ).toBe('validation_failed')
    const kept = ['😀'.repeat(255), ' a ', 'é', 'e\u0301', 'É']
    for (const subject of kept)
      await clientele.identities.link(accountId, user.id, { ...google, subject })
    const found = await clientele.identities.list(accountId, user.id)
    expect(found.map(({ subject }) => subject)).toEqual(kept)
  })
})
