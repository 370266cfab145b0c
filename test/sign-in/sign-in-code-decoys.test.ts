import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import { runSql } from '../support/run-sql.ts'
import { byCode, SignInCodeWorld } from './sign-in-code-world.ts'

const databases = eitherDatabase(import.meta.filename)

const wrong = '00000000'

/** What a statement does first, with which table: an event with a subject names the user's table, too. */
function toKind(sql: string): string | undefined {
  return /(insert into|update|delete from|from) "\w+"/.exec(sql)?.[0]
}

describe.each(databases)('an address that nobody has, on $name', ({ open }) => {
  let database: OpenDatabase
  let recorded: RecordedClientele
  const world = new SignInCodeWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
    recorded = await openRecordedClientele(open, { sendMail: async () => {} })
  })
  afterAll(async () => {
    await recorded.close()
    await database.close()
  })

  test('gets the answers, limits and events of one that a user has, and no mail', async () => {
    const { clientele, accountId, user, codes } = await world.open()
    const inactive = await world.addUser(clientele, { accountId })
    await clientele.users.deactivate(accountId, inactive.user.id)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const post = (path: string, body: object) =>
      send(clientele, 'POST', `/client/user/auth/${path}`, { key, body })
    /**
     * Everything that a caller without the mailbox sees of an address. The user is found after the answer: the event of a
     * code that is tried before names no user.
     */
    const look = async (email: string, mails = 0) => {
      const seen: unknown[] = []
      for (let round = 1; round <= 6; round++) {
        const asked = await post('login/email', { email })
        const { challenge, ...others } = Object(asked.body.data)
        if (mails > 0) await expect.poll(() => codes().length).toBe(Math.min(round, mails))
        seen.push(asked.status, others, String(challenge).length, asked.body.code)
        for (let tries = 1; tries <= 6; tries++) {
          const { status, body } = await post('login/email/confirm', { challenge, code: wrong })
          seen.push([status, body.code])
        }
      }
      return seen
    }
    const of = await look(user.email, 5)
    expect(of).toContain(429)
    expect(of).toContainEqual([401, 'sign_in_code_invalid'])
    expect(of).toContainEqual([401, 'challenge_invalid'])
    expect(await look(`${randomUUID()}@example.com`)).toEqual(of)
    expect(await look(inactive.user.email)).toEqual(of)
    expect(await look(`hunter2 ${randomUUID()}`)).toEqual(of)
    const { data } = await clientele.events.read(accountId, { types: ['user.login_failed'] })
    const about = data.map(({ subject }) => subject.id)
    expect(about).toEqual([...Array(10).fill(user.id), ...Array(30).fill(null)])
    expect(codes().map((mail) => mail.user.id)).toEqual(Array(5).fill(user.id))
  })

  test('costs the same statements, before and after the response', async () => {
    const { clientele, recorded: statements } = recorded
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.accounts.setPolicy(id, { signIn: [...byCode] })
    const addUser = async (email: string) => {
      const given = { name: 'Ada', email, password: 'password' }
      return (await clientele.users.create(id, given)).user.id
    }
    /** What is run for a request, and for a wrong code */
    const runFor = async (email: string) => {
      statements.take()
      const { challenge } = await clientele.auth.mailSignInCode(id, { email })
      const ran: string[] = []
      await expect
        .poll(() => {
          ran.push(...statements.take().map(({ sql }) => sql))
          return ran.some((sql) => /^update "clientele_sign_in_codes" set "user_id"/.test(sql))
        })
        .toBe(true)
      await clientele.auth.logInWithCode(id, { challenge, code: wrong }).catch(() => {})
      // Some run at the same time, in any order.
      return [...ran, ...statements.take().map(({ sql }) => sql)]
        .map((sql) => `${toKind(sql)}`)
        .sort()
    }
    await addUser('ada@example.com')
    // The first one prepares, and begins counts that the account has once.
    await runFor('first@example.com')
    await addUser('known@example.com')
    const gone = await addUser('gone@example.com')
    await clientele.users.deactivate(id, gone)
    await runFor('ada@example.com')
    const known = await runFor('known@example.com')
    expect(known.length).toBeGreaterThan(8)
    expect(await runFor('nobody@example.com')).toEqual(known)
    expect(await runFor('gone@example.com')).toEqual(known)
    expect(await runFor('hunter2 hunter2')).toEqual(known)
  })

  test('is not stored where it is no address, but perhaps a password', async () => {
    const { clientele, accountId, user } = await world.open()
    for (const email of [user.email, 'Hunter2 secret', 'p@ssword', 'p@ssword'])
      await clientele.auth.mailSignInCode(accountId, { email })
    const rows = await runSql(
      database.url,
      `select email from clientele_sign_in_codes where account_id = '${accountId}'`,
    )
    const stored = rows.map((row) => String(Object(row).email))
    expect(stored).toContain(user.email)
    const digests = stored.filter((email) => email !== user.email)
    expect(digests).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{8}\.[\w-]{43}$/)))
  })
})
