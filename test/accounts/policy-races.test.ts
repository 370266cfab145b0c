import type { Clientele, Repository, SetPolicy } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { eitherDatabase, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const defaultPolicy = {
  signIn: ['password', 'passkey', 'id_token'],
  secondFactor: 'optional',
  passwordRequired: true,
  minPasswordLength: null,
  verifiedEmail: 'optional',
  rememberDeviceDays: 0,
  sessionTtlSeconds: null,
  sessionMaxSeconds: null,
}

describe.each(databases)(
  'the policy of an account that changes meanwhile, on $name',
  ({ name, open }) => {
    let database: OpenDatabase
    const world = new SignInWorld(() => database.url)
    beforeAll(async () => {
      database = await open()
    })
    afterAll(() => database.close())

    /** A process in which the policy changes once, after a sign-in was checked and before its session is written. */
    async function startBeside() {
      let change: (() => Promise<unknown>) | undefined
      const opened = openRepository(database.url)
      const create: Repository['sessions']['create'] = async (...args) => {
        const next = change
        change = undefined
        await next?.()
        return opened.sessions.create(...args)
      }
      const repository = { ...opened, sessions: { ...opened.sessions, create } }
      const { clientele } = await world.start({ repository })
      const beside = async (next: () => Promise<unknown>, signIn: () => Promise<unknown>) => {
        change = next
        return codeOf(signIn())
      }
      return { clientele, repository, beside }
    }

    async function addPasskey(clientele: Clientele, accountId: string, userId: string) {
      await clientele.accounts.setPasskeys(accountId, site)
      const authenticator = new SoftwareAuthenticator()
      const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, userId)
      const response = authenticator.create(options)
      await clientele.passkeys.enrol(accountId, userId, { challenge, response })
      return async () => {
        const begun = await clientele.auth.beginPasskeyLogIn(accountId)
        const used = authenticator.get(begun.options)
        const given = { challenge: begun.challenge, response: used }
        return clientele.auth.logInWithPasskey(accountId, given)
      }
    }

    test('opens no session that it does not allow once it is set, while a sign-in is under way', async () => {
      const { clientele, beside } = await startBeside()
      const { accountId, user, credentials } = await world.addUser(clientele)
      const { auth, accounts, sessions } = clientele
      const set = (policy: SetPolicy) => () => accounts.setPolicy(accountId, policy)
      const byPassword = () => auth.logIn(accountId, credentials)
      const byPasskey = await addPasskey(clientele, accountId, user.id)
      expect(await beside(set({ signIn: ['passkey'] }), byPassword)).toBe('sign_in_method_disabled')
      expect(await beside(set({ signIn: ['password'] }), byPasskey)).toBe('sign_in_method_disabled')
      expect(await beside(set({ verifiedEmail: 'required' }), byPassword)).toBe(
        'email_not_verified',
      )
      expect(await sessions.list(accountId, user.id)).toEqual([])
      const { data } = await clientele.events.read(accountId, { types: ['user.logged_in'] })
      expect(data).toEqual([])
      // A change that still allows it counts for its session.
      await set({ verifiedEmail: 'optional', signIn: ['password', 'passkey'] })()
      expect(await beside(set({ sessionTtlSeconds: 60 }), byPassword)).toBeUndefined()
      expect(await beside(set({ sessionTtlSeconds: 90 }), byPasskey)).toBeUndefined()
      const lives = (await sessions.list(accountId, user.id)).map(
        ({ createdAt, expiresAt }) => (expiresAt.getTime() - createdAt.getTime()) / 1000,
      )
      expect(lives).toEqual([60, 90])
      const { generate } = await world.enrolTotp(clientele, accountId, user.id)
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const byCode = () =>
        auth.completeMfa(accountId, { challenge, method: 'totp', code: generate() })
      expect(await beside(set({ signIn: ['id_token'] }), byCode)).toBe('sign_in_method_disabled')
      expect(await sessions.list(accountId, user.id)).toHaveLength(2)
    })

    test('lets each of several sign-ins open its session or refuses it, while it changes', async () => {
      const { clientele } = await world.start()
      const { clientele: operator } = await world.start()
      const { accountId, user, credentials } = await world.addUser(clientele)
      for (let round = 0; round < 5; round++) {
        const signIns = Array.from({ length: 4 }, () =>
          codeOf(clientele.auth.logIn(accountId, credentials)),
        )
        await operator.accounts.setPolicy(accountId, { signIn: ['passkey'] })
        const outcomes = await Promise.all(signIns)
        const refused = outcomes.filter((code) => code !== undefined)
        expect(new Set([...refused, 'sign_in_method_disabled']).size).toBe(1)
        expect(await operator.sessions.list(accountId, user.id)).toHaveLength(
          outcomes.length - refused.length,
        )
        expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBe(
          'sign_in_method_disabled',
        )
        await operator.sessions.revokeAll(accountId, user.id)
        await operator.accounts.setPolicy(accountId, { signIn: ['password'] })
      }
    })

    test('changes of different members at the same time are all kept', async () => {
      const { clientele } = await world.start()
      const { clientele: other } = await world.start()
      const { id } = await clientele.accounts.create({ name: 'Acme' })
      await Promise.all([
        clientele.accounts.setPolicy(id, { signIn: ['password'] }),
        other.accounts.setPolicy(id, { minPasswordLength: 20 }),
        clientele.accounts.setPolicy(id, { sessionTtlSeconds: 600 }),
        other.accounts.update(id, { name: 'Globex' }),
      ])
      expect(await clientele.accounts.find(id)).toMatchObject({
        name: 'Globex',
        policy: {
          ...defaultPolicy,
          signIn: ['password'],
          minPasswordLength: 20,
          sessionTtlSeconds: 600,
        },
      })
    })

    test('stays as it was when the database fails between the change and its event', async () => {
      const { clientele } = await world.start()
      const { accountId, credentials } = await world.addUser(clientele)
      const heard: unknown[] = []
      clientele.events.on('account.updated', (event) => heard.push(event))
      const [fault, mend] = faults[name]
      await runSql(database.url, ...fault)
      try {
        await expect(
          clientele.accounts.setPolicy(accountId, { signIn: ['passkey'] }),
        ).rejects.toThrow()
      } finally {
        await runSql(database.url, ...mend)
      }
      expect((await clientele.accounts.find(accountId)).policy).toEqual(defaultPolicy)
      await logIn(clientele, accountId, credentials)
      expect(heard).toEqual([])
      await clientele.accounts.setPolicy(accountId, { signIn: ['passkey'] })
      expect(heard).toHaveLength(1)
      expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBe(
        'sign_in_method_disabled',
      )
    })

    test('opens no session when the database fails as a changed policy is read again', async () => {
      const { clientele, repository, beside } = await startBeside()
      const { accountId, user, credentials } = await world.addUser(clientele)
      const { findSettings } = repository.accounts
      const narrow = async () => {
        await clientele.accounts.setPolicy(accountId, { signIn: ['passkey'] })
        // The table is gone for this one read.
        repository.accounts.findSettings = async (id) => {
          repository.accounts.findSettings = findSettings
          await runSql(database.url, 'alter table clientele_accounts rename to gone')
          try {
            return await findSettings(id)
          } finally {
            await runSql(database.url, 'alter table gone rename to clientele_accounts')
          }
        }
      }
      const signIn = () => clientele.auth.logIn(accountId, credentials)
      expect(await beside(narrow, signIn)).toBe(name === 'sqlite' ? 'SQLITE_ERROR' : '42P01')
      expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
      expect(await codeOf(signIn())).toBe('sign_in_method_disabled')
    })
  },
)

/** Makes writing an event of an account's change fail; and what takes the fault away. */
const faults: Record<TestDatabase['name'], [string[], string[]]> = {
  sqlite: [
    [
      `create trigger policy_fault before insert on clientele_events when new.type = 'account.updated'
       begin select raise(abort, 'fault'); end`,
    ],
    ['drop trigger policy_fault'],
  ],
  postgres: [
    [
      `create function policy_fault() returns trigger language plpgsql as $$
       begin raise exception 'fault'; end $$`,
      `create trigger policy_fault before insert on clientele_events
       for each row when (new.type = 'account.updated') execute function policy_fault()`,
    ],
    ['drop trigger policy_fault on clientele_events', 'drop function policy_fault'],
  ],
}
