import { createClientele, type Repository } from '@clientele/core'
import { expect, test } from 'vitest'
import { someEvent } from '../support/some-event.ts'
import {
  accountValues,
  changesTo,
  newAccount,
  newSession,
  newTenant,
  newUser,
  nextId,
  start,
} from './world.ts'

/** They sweep until the process ends, when their database may be gone. */
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const contenders = Array.from({ length: 40 }, (_, index) => index)

/** What several callers do at the same moment, half of them through another repository on the same database. */
export function describeRaces(repository: () => Repository, another: () => Repository): void {
  let second: Repository | undefined
  const one = (index: number) => {
    second ??= another()
    return index % 2 === 0 ? repository() : second
  }

  test('40 users with one e-mail at once: one is created', async () => {
    const accountId = await newAccount(repository())
    const outcomes = await Promise.all(
      contenders.map((index) =>
        one(index).users.create(
          accountId,
          newUser({ email: 'one@example.com' }),
          someEvent(accountId),
        ),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'email_taken')).toHaveLength(39)
    expect((await repository().users.list(accountId, { page: 1, limit: 10 })).total).toBe(1)
  })

  test('40 accounts with one slug at once: one is created, and the others leave nothing', async () => {
    const earlier = nextId()
    const slug = `s-${nextId()}`
    const create = (index: number) =>
      one(index).accounts.create(
        nextId(),
        accountValues({ name: slug, slug, externalId: nextId() }),
        start,
      )
    const outcomes = await Promise.all(contenders.map(create))
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'slug_taken')).toHaveLength(39)
    const all = await repository().accounts.list(earlier, 100)
    const made = all.filter(({ name }) => name === slug)
    expect(made).toEqual([await repository().accounts.findByName('slug', slug)])
  })

  test('40 accounts that want the same two names at once: one gets both', async () => {
    const earlier = nextId()
    const ids = await Promise.all(contenders.map(() => newAccount(repository())))
    const names = { slug: `s-${nextId()}`, externalId: nextId() }
    const update = (index: number) =>
      one(index).accounts.update(ids[index] ?? '', names, () => someEvent(ids[index] ?? ''))
    const outcomes = await Promise.all(contenders.map(update))
    const winners = outcomes.filter((outcome) => typeof outcome === 'object')
    expect(winners).toHaveLength(1)
    expect(new Set(outcomes.filter((each) => typeof each === 'string'))).toEqual(
      new Set(['slug_taken']),
    )
    const all = await repository().accounts.list(earlier, 100)
    const holders = all.filter(({ slug }) => slug === names.slug)
    expect(holders).toMatchObject([names])
    expect(await repository().accounts.findByName('externalId', names.externalId)).toEqual(
      holders[0],
    )
  })

  test('40 changes that expect the same version: one wins', async () => {
    const { accountId, user } = await newTenant(repository())
    const outcomes = await Promise.all(
      contenders.map((index) =>
        one(index).users.replace(
          accountId,
          user.id,
          changesTo(user, { name: `Name ${index}`, roles: [`role ${index}`] }),
          1,
          someEvent(accountId),
        ),
      ),
    )
    const winners = outcomes.filter((outcome) => typeof outcome !== 'string')
    expect(winners).toHaveLength(1)
    expect(new Set(outcomes.filter((each) => typeof each === 'string'))).toEqual(
      new Set(['precondition_failed']),
    )
    expect(await repository().users.find(accountId, user.id)).toEqual(winners[0])
    const role = JSON.parse(winners[0]?.user.roles ?? '[]')[0]
    expect((await repository().users.list(accountId, { page: 1, limit: 10, role })).total).toBe(1)
  })

  test('changes without an expected version are all applied, one after the other', async () => {
    const { accountId, user } = await newTenant(repository())
    const outcomes = await Promise.all(
      contenders.map((index) =>
        one(index).users.replace(
          accountId,
          user.id,
          changesTo(user, { roles: [`role ${index}`, 'all'] }),
          null,
          someEvent(accountId),
        ),
      ),
    )
    const versions = outcomes.map((each) => (typeof each === 'string' ? 0 : each.version))
    expect(versions.toSorted((a, b) => a - b)).toEqual(contenders.map((index) => index + 2))
    // What roles are searched by is what the user has.
    const last = await repository().users.find(accountId, user.id)
    for (const index of contenders) {
      const role = `role ${index}`
      const { total } = await repository().users.list(accountId, { page: 1, limit: 1, role })
      expect([role, total]).toEqual([
        role,
        JSON.parse(last?.user.roles ?? '[]').includes(role) ? 1 : 0,
      ])
    }
  })

  test('two changes to one free e-mail: one wins', async () => {
    const accountId = await newAccount(repository())
    const users = [newUser(), newUser(), newUser(), newUser()]
    for (const user of users) await repository().users.create(accountId, user, someEvent(accountId))
    const outcomes = await Promise.all(
      users.map((user, index) =>
        one(index).users.replace(
          accountId,
          user.id,
          changesTo(user, { email: 'wanted@example.com' }),
          null,
          someEvent(accountId),
        ),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'email_taken')).toHaveLength(3)
  })

  test('of many simultaneous deletions, one finds the user', async () => {
    const { accountId, user } = await newTenant(repository())
    const outcomes = await Promise.all(
      contenders.map((index) =>
        one(index).users.delete(accountId, user.id, null, () => someEvent(accountId)),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'user_not_found')).toHaveLength(39)
    expect((await repository().users.list(accountId, { page: 1, limit: 10 })).total).toBe(0)
  })

  // What a sign-in has compared may have changed when its session is written.
  const endings = {
    'a deletion': (accountId: string, user: ReturnType<typeof newUser>) =>
      repository().users.delete(accountId, user.id, null, () => someEvent(accountId)),
    'a new password': (accountId: string, user: ReturnType<typeof newUser>) =>
      repository().users.replace(
        accountId,
        user.id,
        changesTo(user, { passwordHash: 'hash-2' }),
        null,
        someEvent(accountId),
      ),
    'a deactivation': (accountId: string, user: ReturnType<typeof newUser>) =>
      repository().users.setActive(accountId, user.id, false, start + 1, someEvent(accountId)),
  }
  for (const [name, end] of Object.entries(endings)) {
    test(`${name} during sign-ins leaves no session`, async () => {
      for (let round = 0; round < 10; round++) {
        const { accountId, user } = await newTenant(repository())
        const sessions = contenders.slice(0, 12).map(() => newSession(user.id))
        const attempts = sessions.map((session, index) =>
          one(index).sessions.create(accountId, session, 'hash-1', someEvent(accountId)),
        )
        const [, ...opened] = await Promise.all([end(accountId, user), ...attempts])
        expect(opened.every((outcome) => typeof outcome === 'boolean')).toBe(true)
        await repository().users.setActive(
          accountId,
          user.id,
          true,
          start + 2,
          someEvent(accountId),
        )
        for (const { id } of sessions) {
          const subject = { userId: user.id, sessionId: id }
          const found = await repository().users.findSubject(accountId, start, subject)
          expect(found?.hasLiveSession ?? false).toBe(false)
        }
      }
    })
  }

  test('patches of different members at once are all kept', async () => {
    const secrets = ['a secret that is shared by both processes']
    const instances = await Promise.all(
      [one(0), one(1)].map((each) =>
        createClientele({ repository: each, secrets, clock: () => 0, logger: quiet }),
      ),
    )
    const accountId = await newAccount(repository())
    const user = newUser({ metadata: {} })
    await repository().users.create(accountId, user, someEvent(accountId))
    const members = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(
      members.map((member, index) =>
        instances[index % 2]?.users.patch(accountId, user.id, { metadata: { [member]: index } }),
      ),
    )
    const found = await repository().users.find(accountId, user.id)
    expect(JSON.parse(found?.user.metadata ?? '')).toEqual({ a: 0, b: 1, c: 2, d: 3, e: 4 })
    expect(found?.version).toBe(6)
  })

  test('simultaneous calls create one signing key', async () => {
    const accountId = await newAccount(repository())
    await Promise.all(
      contenders.map((index) =>
        one(index).signingKeys.addFirst(
          accountId,
          {
            id: nextId(),
            algorithm: 'RS256',
            publicJwk: '{}',
            encryptedPrivateJwk: 'sealed',
            encryptedUnder: 'v1.',
            createdAt: start,
            signsAt: start,
            retiredAt: null,
            tokenLifeSeconds: 7200,
          },
          someEvent(accountId),
        ),
      ),
    )
    const keys = await repository().signingKeys.list(accountId)
    expect(keys.filter((key) => key.algorithm === 'RS256')).toHaveLength(1)
  })
}
