import { createClientele, type Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { openRecorded } from '../support/statement-recorder.ts'
import { cheapHashing, LogRecorder, openClientele, openRepository } from './open-clientele.ts'

const accounts = 100_000
const secrets = ['a secret of the tests, 32 characters']

/** Makes accounts with a key each, which are copies of one that there is. */
const copies = {
  sqlite: "'019dfae2-0000-7000-8000-' || printf('%012x', i)",
  postgres: "('019dfae2-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid",
}
const explain = { sqlite: 'explain query plan', postgres: 'explain' }

describe.each(databases)('100,000 accounts on $name', ({ name, open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
    const clientele = await openClientele(database.url, { secrets })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.signingKeys.rotate(id)
    await clientele.close()
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${accounts})`
    for (const statement of [
      `insert into clientele_accounts (id, name, created_at) ${numbers} select ${copies[name]}, 'Acme', 0 from n`,
      `insert into clientele_signing_keys (account_id, id, algorithm, public_jwk, encrypted_private_jwk, encrypted_under, created_at, signs_at, token_life_seconds)
        ${numbers}, k as (select * from clientele_signing_keys limit 1)
        select ${copies[name]}, 'key ' || i, algorithm, public_jwk, encrypted_private_jwk, encrypted_under, created_at, signs_at, token_life_seconds from n cross join k`,
      'analyze',
    ])
      await runSql(database.url, statement)
  })
  afterAll(() => database.close())

  /** A repository that counts the rows that its methods answer with. */
  function countRows(repository: Repository): { counted: Repository; rows: () => number } {
    let rows = 0
    const stores = Object.entries(repository).map(([store, methods]) => [
      store,
      Object.fromEntries(
        Object.entries(
          methods as Record<string, ((...given: unknown[]) => unknown) | undefined>,
        ).map(([method, call]) => [
          method,
          call &&
            ((...given: unknown[]) => {
              const answer = call(...given)
              if (answer instanceof Promise)
                answer.then(
                  (found: unknown) => {
                    if (Array.isArray(found)) rows += found.length
                  },
                  () => {},
                )
              return answer
            }),
        ]),
      ),
    ])
    return { counted: Object.fromEntries(stores), rows: () => rows }
  }

  test('a process that starts reads none of their keys', async () => {
    const { counted, rows } = countRows(openRepository(database.url))
    const logger = new LogRecorder()
    const passwords = { hashing: cheapHashing }
    const clientele = await createClientele({ repository: counted, secrets, passwords, logger })
    expect(rows()).toBe(0)
    // From then on it reads those of the accounts that are used.
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const credentials = { email: 'ada@example.com', password: 'password' }
    await clientele.users.create(id, { name: 'Ada', ...credentials })
    const { token } = await logIn(clientele, id, credentials)
    await clientele.auth.validateToken(id, token)
    expect(rows()).toBeLessThan(5)
    await clientele.close()
  })

  test('the search for keys under an old secret uses its index', async () => {
    const { repository, take, close } = openRecorded(database.url)
    await createClientele({ repository, secrets, logger: new LogRecorder() })
    const looks = take().filter(({ sql }) => /where "encrypted_under" < /.test(sql))
    expect(looks).toHaveLength(2)
    for (const { sql, values } of looks) {
      let text = sql
      for (const [index, value] of [...values.entries()].toReversed()) {
        const literal = `'${String(value).replaceAll("'", "''")}'`
        text = name === 'sqlite' ? text : text.replaceAll(`$${index + 1}`, literal)
      }
      if (name === 'sqlite') for (const value of values) text = text.replace('?', `'${value}'`)
      const plan = JSON.stringify(await runSql(database.url, `${explain[name]} ${text}`))
      expect(plan).toMatch(/clientele_signing_keys_by_secret/)
      expect(plan).not.toMatch(/Seq Scan|SCAN/)
    }
    await close()
  })
})
