import { expect } from 'vitest'
import {
  invalid,
  lacking,
  notAllowed,
  plain,
  problem,
  renderUser,
  time,
} from '../support/answers.ts'
import { requestId } from '../support/send.ts'
import type { World } from '../support/world.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

const ndjson = 'application/x-ndjson'
const headers = ['content-type', ndjson]
const linesOf = (...users: readonly unknown[]) =>
  users.map((user) => `${JSON.stringify(user)}\n`).join('')
const sendLines = (body: string, query = '') => ({
  method: 'POST',
  path: `/client/user/import${query}`,
  headers,
  body,
})
const importing = (...users: readonly unknown[]) => sendLines(linesOf(...users))
const exporting = { path: '/client/user/export' }

const result = (more: object) =>
  plain(
    JSON.stringify({
      ...{ imported: 0, updated: 0, skipped: 0, without_password: 0 },
      ...{ stopped_at_line: null, errors: [], ...more },
    }),
  )
const streamed = (body: string | RegExp) => ({
  status: 200,
  headers: { 'content-type': ndjson, 'cache-control': 'no-store', ...requestId },
  body,
})
const exported = (user: object) =>
  `${renderUser({ id: absentId, ...user }).slice(0, -1)},"email_verified":false}\n`

const grace = { name: 'Grace Hopper', email: 'grace@example.com' }
const nameless = { email: 'x@example.com', name: 'x' }
const tooShort = { code: 'too_short', message: '/name must have at least 2 characters' }
const taken = {
  code: 'email_taken',
  message: '/email is taken by another user of this account',
}
/** Some lines that are longer than a chunk of any framework, and more than a body usually has */
const many = (count: number) =>
  linesOf(
    ...Array.from({ length: count }, (_, index) => ({
      ...{ name: 'Ada Lovelace', email: `person-${index}@example.com` },
      metadata: { text: 'x'.repeat(4_000) },
    })),
  )

async function totalOf(world: World): Promise<number> {
  return (await world.clientele.users.list(world.account.id)).total
}

export const bulkCases: readonly Case[] = [
  flow('import and export: users as lines', async (world) => {
    // Before any id that the server makes
    const id = '00000000-0000-7000-8000-000000000001'
    const user = { ...ada, id, roles: ['admin'], created_at: time, updated_at: time }
    await world.check(
      importing({ ...user, email_verified: time, password: newAda.password }, grace),
      result({ imported: 2, without_password: 1 }),
    )
    const { body } = await world.send(exporting)
    const [first = '', second = '', ...rest] = body.split('\n')
    expect(first).toBe(
      `${renderUser({ ...ada, id, roles: ['admin'] }).slice(0, -1)},"email_verified":"${time}"}`,
    )
    expect(JSON.parse(second)).toMatchObject({ ...grace, email_verified: false })
    expect(rest).toEqual([''])
    await world.logIn(ada.email)
    const { data } = await world.clientele.events.read(world.account.id, {
      types: ['users.imported'],
    })
    expect(data).toMatchObject([{ actor: { type: 'api_key' }, data: { count: 2 } }])
    // What was exported can be imported again.
    await world.check(sendLines(body, '?on_conflict=update'), result({ updated: 2 }))
  }),
  flow('import: an invalid line stops it, or is skipped', async (world) => {
    const lines = linesOf(ada, nameless, grace)
    const errors = [{ line: 2, ...tooShort }]
    await world.check(
      sendLines(lines, '?dry_run=true'),
      result({ imported: 1, skipped: 1, without_password: 1, stopped_at_line: 2, errors }),
    )
    expect(await totalOf(world)).toBe(0)
    await world.check(
      sendLines(lines),
      result({ imported: 1, skipped: 1, without_password: 1, stopped_at_line: 2, errors }),
    )
    await world.check(
      sendLines(lines, '?on_error=skip&on_conflict=stop'),
      result({ skipped: 1, stopped_at_line: 1, errors: [{ line: 1, ...taken }] }),
    )
    await world.check(
      sendLines(lines, '?on_error=skip&on_conflict=skip'),
      result({ imported: 1, skipped: 2, without_password: 1, errors }),
    )
    await world.check(
      sendLines(lines, '?on_error=skip'),
      result({
        skipped: 3,
        errors: [{ line: 1, ...taken }, ...errors, { line: 3, ...taken }],
      }),
    )
  }),
  flow('import: hashes of passwords', async (world) => {
    const hash = '$2b$10$nYKPG7hZxdCddaWTRnkRpes55MKWK5B9.O0sck7tLVctPgZRN6o7W'
    const dear = hash.replace('$10$', '$14$')
    const errors = [
      {
        line: 2,
        code: 'format',
        message: expect.stringMatching(/^\/password_hash cannot be taken: .*--max-hash-ms/),
      },
    ]
    const lines = linesOf({ ...ada, password_hash: hash }, { ...grace, password_hash: dear })
    const stopped = await world.send(sendLines(lines))
    expect(JSON.parse(stopped.body)).toMatchObject({ imported: 1, stopped_at_line: 2, errors })
    await world.check(
      sendLines(lines, '?unknown_hash=reset&on_conflict=skip'),
      result({ imported: 1, skipped: 1, without_password: 1 }),
    )
    const { body } = await world.send(exporting)
    expect(body).not.toContain('$2b$')
    const login = { email: ada.email, password: 'correct horse 1' }
    await world.clientele.auth.logIn(world.account.id, login)
  }),
  flow('import: lines that hold no user', async (world) => {
    const noJson = 'is not valid JSON: each line holds one user, as one object'
    const deep = `{"metadata":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`
    const body = [
      '\u{FEFF}{"email":"first@example.com","name":"First"}\r',
      '',
      '{"email":',
      '[]',
      `{"email":"${'x'.repeat(64 * 1024)}@example.com"}`,
      deep,
      `{"roles":[${'1,'.repeat(6_000)}1]}`,
      '{"email":"rolse@example.com","name":"Rolse","rolse":[]}',
    ].join('\n')
    const { body: answer } = await world.send(sendLines(body, '?on_error=skip'))
    const { imported, skipped, errors } = JSON.parse(answer)
    expect({ imported, skipped }).toEqual({ imported: 1, skipped: 6 })
    expect(errors).toMatchObject([
      { line: 3, code: 'malformed', message: noJson },
      { line: 4, code: 'type' },
      { line: 5, code: 'malformed', message: 'is longer than 64 KiB' },
      { line: 6, code: 'too_deep' },
      { line: 7, code: 'malformed', message: 'must not hold more than 5000 values' },
      {
        line: 8,
        code: 'unrecognized',
        message: '/rolse is not known here (did you mean roles?)',
      },
    ])
  }),
  flow('import: an empty body, and one of unknown length', async (world) => {
    await world.check(sendLines(''), result({}))
    await world.check(
      { ...importing(ada), chunked: true },
      result({ imported: 1, without_password: 1 }),
    )
  }),
  flow('import and export: more than a body usually has', async (world) => {
    await world.check(sendLines(many(300)), result({ imported: 300, without_password: 300 }))
    const { body } = await world.send(exporting)
    const emails = body.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).email))
    expect(emails).toEqual(Array.from({ length: 300 }, (_, index) => `person-${index}@example.com`))
    // The answer comes although the rest of the body is not looked at.
    const { body: stopped } = await world.send(sendLines(many(600)))
    expect(JSON.parse(stopped)).toMatchObject({ imported: 0, stopped_at_line: 1 })
  }),
  row(
    'import: JSON',
    { method: 'POST', path: '/client/user/import', json: ada },
    problem('media_type_unsupported', {
      detail: `Send the body as ${ndjson} in UTF-8, without a content encoding.`,
    }),
  ),
  row(
    'import: parameters',
    sendLines('', '?on_error=update&dry_run=1&with_hashes=true'),
    invalid(
      ['/with_hashes', 'unrecognized', 'is not known here'],
      ['/on_error', 'value', 'must be one of stop, skip'],
      ['/dry_run', 'value', 'must be one of true, false'],
    ),
  ),
  row(
    'export: parameters',
    { path: '/client/user/export?role=admin' },
    invalid(['/role', 'unrecognized', 'is not known here']),
  ),
  row('export: no user', exporting, streamed('')),
  flow('import and export: the API key', async (world) => {
    const { clientele, account } = world
    await world.createUser()
    const { apiKey: reader } = await clientele.apiKeys.create(account.id, {
      scopes: ['users:read'],
    })
    const { apiKey: writer } = await clientele.apiKeys.create(account.id, {
      scopes: ['users:write'],
    })
    await world.check({ ...importing(ada), key: reader }, lacking('users:write'))
    await world.check({ ...exporting, key: writer }, lacking('users:read'))
    await world.check({ ...importing(ada), key: null }, problem('api_key_missing'))
    const { key } = await world.otherTenant()
    await world.check({ ...exporting, key }, streamed(''))
    await world.check(
      { ...importing({ ...ada, id: absentId }), key },
      result({ imported: 1, without_password: 1 }),
    )
    await world.check({ ...exporting, key }, streamed(exported(ada)))
  }),
  flow('export: HEAD, and other methods', async (world) => {
    await world.createUser()
    await world.check({ ...exporting, method: 'HEAD' }, streamed(''))
    await world.check({ ...exporting, method: 'POST' }, notAllowed('GET, HEAD'))
  }),
]
