import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWatchedServer, type WatchedServer } from '../faults/loop-watch.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { insertUsers, runSql } from '../support/run-sql.ts'
import { patchSchema } from './scim-world.ts'

/** The longest time for which no other caller is answered. */
const limitMilliseconds = 50
const tries = 5
/** More could not be searched without an index. */
const userCount = 9_000
const groupCount = 5_000
const groupId = '019dfae2-6a4d-7000-9000-000000000001'
/** The group `Group 2`, whose members are all users */
const fullGroupId = '019dfae2-6a4d-7000-9000-000000000002'

/** The id of the user that `insertUsers` stores with this number */
const userId = (number: number) =>
  `019dfae2-6a4d-7000-8000-${(number * 4096 + 1).toString(16).padStart(12, '0')}`

const join = (count: number, toPart: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => toPart(index)).join(' or ')

const filters: Record<string, [path: string, filter: string, status: string]> = {
  'ranges that overlap': [
    '/Users',
    join(25, (index) => `displayName sw "Name 10" and id co "z${index}"`),
    '400',
  ],
  'ranges beside each other': [
    '/Users',
    join(16, (index) => `displayName sw "Name ${20 + index}" and id co "z${index}"`),
    '200',
  ],
  'no index': ['/Users', join(50, (index) => `userName co "z${index}"`), '200'],
  groups: ['/Groups', join(50, (index) => `displayName co "z${index}"`), '200'],
}

describe.each(databases)('hostile requests of SCIM on $name', ({ open }) => {
  let database: OpenDatabase
  let server: WatchedServer
  beforeAll(async () => {
    database = await open()
    server = await startWatchedServer(database.url)
    const { accountId } = server
    await insertUsers(database.url, accountId, userCount)
    await insertNames(database.url, accountId)
    await insertGroups(database.url, accountId)
    const repository = repositoryOf(database.url)
    await repository.users.recount(accountId)
    await repository.storage.close()
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    await database.close()
  })

  /** The least of several tries: what the machine does besides makes some of them longer, and none shorter. */
  async function findHold(request: string, status: string): Promise<number> {
    let least = Number.POSITIVE_INFINITY
    for (let count = 0; count < tries && least > limitMilliseconds; count++)
      least = Math.min(
        least,
        await server.measure(async () => expect(await server.send(request)).toBe(status)),
      )
    return Math.round(least)
  }

  const write = (line: string, fields: string[] = [], body = ''): string => {
    const own = [`Authorization: Bearer ${server.apiKey}`, 'Host: localhost', 'Connection: close']
    return [`${line} HTTP/1.1`, ...own, ...fields, '', body].join('\r\n')
  }

  function writePatch(operations: object[], path = `/Users/${userId(1)}`): string {
    return writeBody(`PATCH /scim/v2${path}`, { schemas: [patchSchema], Operations: operations })
  }

  function writeBody(line: string, content: object): string {
    const body = JSON.stringify(content)
    const type = 'Content-Type: application/scim+json'
    return write(line, [type, `Content-Length: ${Buffer.byteLength(body)}`], body)
  }

  test.each(Object.entries(filters))('a filter with %s holds nobody up', async (_title, given) => {
    const [path, filter, status] = given
    const request = write(`GET /scim/v2${path}?filter=${encodeURIComponent(filter)}`)
    expect(await findHold(request, status)).toBeLessThanOrEqual(limitMilliseconds)
  })

  test('addresses of thousands of types hold nobody up', async () => {
    const value = Array.from({ length: 2_000 }, (_, index) => ({ type: `t${index}` }))
    const request = writePatch([{ op: 'add', path: 'emails', value }])
    expect(await findHold(request, '400')).toBeLessThanOrEqual(limitMilliseconds)
  })

  test.each([
    [15_000, '400'],
    [1_000, '200'],
  ])('addresses of %i marks hold nobody up', async (length, status) => {
    const email = (index: number) => ({
      type: `t${index}`,
      value: '\u0301\u0323'.repeat(length / 2),
    })
    const value = Array.from({ length: Math.min(15_000 / length, 20) }, (_, index) => email(index))
    const path = `emails[${join(40, () => 'value co "z"')}]`
    const remove = { op: 'remove', path }
    const request = writePatch([{ op: 'add', path: 'emails', value }, ...Array(20).fill(remove)])
    expect(await findHold(request, status)).toBeLessThanOrEqual(limitMilliseconds)
  })

  test.each(['value', 'filter'])(
    'domains of hundreds of labels hold nobody up: %s',
    async (place) => {
      const value = Array.from({ length: 19 }, (_, index) => ({
        type: `t${index}`,
        value: `a${index}@x.example.com`,
      }))
      const domain = Array.from({ length: 20 }, () => 'ü').join('.')
      const each = Array.from({ length: place === 'value' ? 500 : 400 }, (_, index) =>
        place === 'value'
          ? { op: 'add', path: 'emails.value', value: `a${index}@${domain}.com` }
          : { op: 'remove', path: `emails[value eq "a${index}@${domain}.com"]` },
      )
      const request = writePatch([{ op: 'replace', path: 'emails', value }, ...each])
      expect(await findHold(request, '200')).toBeLessThanOrEqual(limitMilliseconds)
    },
  )

  test.each(['attributes', 'operations'])(
    'thousands of %s of a group hold nobody up',
    async (kind) => {
      const value = Object.fromEntries(
        Array.from({ length: 19_000 }, (_, index) => [`a${index}`, 1]),
      )
      const request =
        kind === 'operations'
          ? writePatch([{ op: 'add', value }], `/Groups/${groupId}`)
          : writeBody('POST /scim/v2/Groups', value)
      expect(await findHold(request, '400')).toBeLessThanOrEqual(limitMilliseconds)
    },
  )

  test.each(['add', 'replace'])('thousands of members hold nobody up: %s', async (op) => {
    const parts = [0, 3_000, 6_000].map((first) => ({
      op: first === 0 ? op : 'add',
      path: 'members',
      value: Array.from({ length: 3_000 }, (_, index) => userId(first + index + 1)),
    }))
    const request = writePatch(parts, `/Groups/${groupId}`)
    expect(await findHold(request, '400')).toBeLessThanOrEqual(limitMilliseconds)
  })

  test('thousands of members who stay hold nobody up', async () => {
    const all = Array.from({ length: userCount }, (_, index) => userId(index + 1))
    const parts = [0, 3_000, 6_000].map((first) => ({
      op: first === 0 ? 'replace' : 'add',
      path: 'members',
      value: all.slice(first, first + 3_000),
    }))
    const request = writePatch(parts, `/Groups/${fullGroupId}`)
    expect(await findHold(request, '204')).toBeLessThanOrEqual(limitMilliseconds)
  })
})

/** The identity provider has taken all users over. */
async function insertNames(url: string, accountId: string): Promise<void> {
  await runSql(
    url,
    `insert into clientele_scim_users (account_id, user_id, user_name, user_name_key, full_name)
     select account_id, id, email, email, name from clientele_users where account_id = '${accountId}'`,
  )
}

async function insertGroups(url: string, accountId: string): Promise<void> {
  const isSqlite = url.startsWith('sqlite:')
  const numbers = isSqlite
    ? `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${groupCount})`
    : `with s(n) as (select generate_series(1, ${groupCount}))`
  const cast = isSqlite ? '' : '::uuid'
  const hex = isSqlite ? "printf('%012x', n)" : "lpad(to_hex(n), 12, '0')"
  await runSql(
    url,
    `insert into clientele_scim_groups (account_id, id, role, role_key, version, created_at, updated_at)
     ${numbers}
     select '${accountId}'${cast}, ('019dfae2-6a4d-7000-9000-' || ${hex})${cast}, 'Group ' || n, 'group ' || n, 1, 1, 1
     from s`,
    `insert into clientele_user_roles (account_id, role, user_id)
     select account_id, 'Group 2', id from clientele_users where account_id = '${accountId}'`,
  )
}
