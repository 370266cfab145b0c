import type { Clientele } from '@clientele/core'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const password = 'correct horse battery'
let database: OpenDatabase
let clientele: Clientele
let client: Client

beforeAll(async () => {
  const kind = databases.find(({ name }) => name === 'postgres')
  if (kind === undefined) throw new Error('There is no PostgreSQL.')
  database = await kind.open()
  clientele = await openClientele(database.url)
  client = new Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await clientele.close()
  await database.close()
})

test('a batch that has waited for a user brings no token back that ended meanwhile', async () => {
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const add = async (name: string) =>
    (await clientele.users.create(id, { name, email: `${name}@example.com`, password })).user
  const first = await add('ada')
  const second = await add('ida')
  const own = await clientele.userTokens.create(id, second.id, { name: 'Deploy script' })
  await client.query('begin')
  await client.query('select from clientele_users where id = $1 for update', [first.id])
  const records = [
    { id: first.id, email: first.email, name: 'Ada Byron' },
    { id: second.id, email: 'other@example.com', name: 'Ida' },
  ].map((value, index) => ({ line: index + 1, value }))
  const imported = clientele.users.import(id, records, { onConflict: 'update' })
  await vi.waitFor(async () => {
    const waiting = await client.query('select from pg_locks where not granted')
    expect(waiting.rowCount).toBeGreaterThan(0)
  })
  const { token } = await clientele.auth.exchangeToken(id, own.token)
  await clientele.users.patch(id, second.id, { password: 'another password' })
  const outcome = () => codeOf(clientele.auth.validateToken(id, token))
  expect(await outcome()).toBe('token_revoked')
  await client.query('commit')
  expect((await imported).updated).toBe(2)
  expect(await outcome()).toBe('token_revoked')
})

test('a batch of new users is stored after many conflicts with the writes of others', async () => {
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  // A sequence counts on, although each conflict takes the batch back.
  await client.query(`
    create sequence conflicts;
    create function conflict() returns trigger language plpgsql as $$
    begin
      if nextval('conflicts') < 16 then
        raise exception using errcode = '40001';
      end if;
      return new;
    end $$;
    create trigger conflict before insert on clientele_users for each row execute function conflict()`)
  const records = [{ line: 1, value: { email: 'eve@example.com', name: 'Eve' } }]
  try {
    expect((await clientele.users.import(id, records)).imported).toBe(1)
  } finally {
    await client.query('drop function conflict cascade; drop sequence conflicts')
  }
})
