import { createHash, randomBytes, randomUUID } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import { exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from 'jose'
import pg from 'pg'
import type { Answer } from './frameworks.ts'

// What a careful engineer would write for one application: a table of keys, a table of users, prepared statements, jose.

const schema = (id: string, json: string) => [
  'create table api_keys (hash text primary key, account_id text not null, revoked_at bigint)',
  `create table users (account_id ${id} not null, id ${id} not null, email text not null, name text not null,
    roles ${json} not null, metadata ${json} not null, is_active boolean not null, password_hash text,
    created_at bigint not null, updated_at bigint not null, primary key (account_id, id), unique (account_id, email))`,
  'create table settings (name text primary key, value text not null)',
  'create table outbox (id text primary key, account_id text not null, type text not null, data text not null, created_at bigint not null)',
]

interface UserRow {
  id: string
  email: string
  name: string
  roles: string
  metadata: string
  is_active: number | boolean
  created_at: number
  updated_at: number
}

type Run = (name: string, sql: string, parameters: unknown[]) => Promise<unknown[]>
type Step = [name: string, sql: string, parameters: unknown[]]

function connect(url: string): {
  run: Run
  /** In one transaction */
  write(steps: Step[]): Promise<void>
  exec(sql: string): Promise<void>
  close(): Promise<void>
} {
  if (url.startsWith('postgres')) {
    const pool = new pg.Pool({ connectionString: url, max: 10 })
    pg.types.setTypeParser(20, Number)
    return {
      run: async (name, text, values) => (await pool.query({ name, text, values })).rows,
      write: async (steps) => {
        const client = await pool.connect()
        try {
          await client.query('begin')
          for (const [name, text, values] of steps) await client.query({ name, text, values })
          await client.query('commit')
        } finally {
          client.release()
        }
      },
      exec: async (sql) => {
        await pool.query(sql)
      },
      close: () => pool.end(),
    }
  }
  const database = new Sqlite(url.replace('sqlite:', ''))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  const prepared = new Map<string, Sqlite.Statement<unknown[]>>()
  const execute = (...[name, sql, parameters]: Step): unknown[] => {
    let statement = prepared.get(name)
    if (statement === undefined) {
      statement = database.prepare<unknown[]>(sql.replaceAll(/\$\d+/g, '?'))
      prepared.set(name, statement)
    }
    return statement.reader ? statement.all(parameters) : [statement.run(parameters)]
  }
  return {
    run: async (...step) => execute(...step),
    write: async (steps) => {
      database.transaction(() => {
        for (const step of steps) execute(...step)
      })()
    },
    exec: async (sql) => {
      database.exec(sql)
    },
    close: async () => {
      database.close()
    },
  }
}

export interface HandSeed {
  apiKey: string
  accountId: string
  tokens: string[]
}

/** Makes the tables and the same data as Clientele's. */
export async function seedByHand(
  url: string,
  accountId: string,
  users: { id: string; email: string; name: string }[],
): Promise<HandSeed> {
  const { run, exec, close } = connect(url)
  const isPostgres = url.startsWith('postgres')
  for (const statement of schema(isPostgres ? 'uuid' : 'text', isPostgres ? 'json' : 'text'))
    await exec(statement)
  const apiKey = `key_${randomBytes(32).toString('base64url')}`
  await run('seed key', 'insert into api_keys (hash, account_id) values ($1, $2)', [
    hash(apiKey),
    accountId,
  ])
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
  await run('seed jwk', 'insert into settings (name, value) values ($1, $2)', [
    'jwk',
    JSON.stringify(await exportJWK(publicKey)),
  ])
  const now = Date.now()
  const tokens: string[] = []
  for (const user of users) {
    await run(
      'seed user',
      `insert into users (account_id, id, email, name, roles, metadata, is_active, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        accountId,
        user.id,
        user.email,
        user.name,
        '["member"]',
        '{"plan":"pro"}',
        isPostgres ? true : 1,
        now,
        now,
      ],
    )
    const token = await new SignJWT({ sid: user.id, amr: ['pwd'] })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'one' })
      .setIssuer('by-hand')
      .setAudience(accountId)
      .setSubject(user.id)
      .setIssuedAt()
      .setExpirationTime('2h')
      .setJti(user.id)
      .sign(privateKey)
    tokens.push(token)
  }
  await close()
  return { apiKey, accountId, tokens }
}

/** The handlers. */
export async function routesByHand(url: string): Promise<Record<string, Answer>> {
  const { run, write } = connect(url)
  const [setting] = (await run('jwk', 'select value from settings where name = $1', ['jwk'])) as {
    value: string
  }[]
  const publicKey = await importJWK(JSON.parse(setting?.value ?? '{}'), 'EdDSA')
  const isPostgres = url.startsWith('postgres')

  async function authenticate(headers: Record<string, unknown>): Promise<string | undefined> {
    const key = /^Bearer (.+)$/.exec(String(headers.authorization ?? ''))?.[1]
    if (key === undefined) return undefined
    const [row] = await run(
      'find key',
      'select account_id, revoked_at from api_keys where hash = $1',
      [hash(key)],
    )
    const found = row as { account_id: string; revoked_at: number | null } | undefined
    return found === undefined || found.revoked_at !== null ? undefined : found.account_id
  }

  return {
    'POST /client/user/auth/validation-token': async (headers, body) => {
      const accountId = await authenticate(headers)
      if (accountId === undefined) return { status: 401, body: { code: 'api_key_invalid' } }
      const token = /^Bearer +(\S+)$/.exec(
        String((body as { token?: unknown } | undefined)?.token ?? ''),
      )?.[1]
      if (token === undefined) return { status: 422, body: { code: 'validation_failed' } }
      try {
        const { payload } = await jwtVerify(token, publicKey, {
          algorithms: ['EdDSA'],
          issuer: 'by-hand',
          audience: accountId,
          typ: 'at+jwt',
          requiredClaims: ['sub', 'exp'],
        })
        const [row] = await run(
          'find user',
          'select * from users where account_id = $1 and id = $2',
          [accountId, payload.sub],
        )
        const user = row as UserRow | undefined
        if (user === undefined || !user.is_active) return { status: 401, body: { isValid: false } }
        return {
          status: 200,
          body: { isValid: true, success_code: 200, user: toUser(user, isPostgres) },
        }
      } catch {
        return { status: 401, body: { isValid: false } }
      }
    },
    'POST /client/user/replacement': async (headers, body) => {
      const accountId = await authenticate(headers)
      if (accountId === undefined) return { status: 401, body: { code: 'api_key_invalid' } }
      const { id, email, name, roles, metadata } = body as Record<string, unknown>
      const isText = typeof email === 'string' && typeof name === 'string'
      if (!isText || !email.includes('@')) return { status: 422, body: {} }
      const now = Date.now()
      await write([
        [
          'replace user',
          `update users set email = $1, name = $2, roles = $3, metadata = $4, updated_at = $5
           where account_id = $6 and id = $7`,
          [email, name, JSON.stringify(roles), JSON.stringify(metadata), now, accountId, id],
        ],
        [
          'insert event',
          'insert into outbox (id, account_id, type, data, created_at) values ($1, $2, $3, $4, $5)',
          [randomUUID(), accountId, 'user.replaced', JSON.stringify({ id }), now],
        ],
      ])
      const [row] = await run(
        'find user',
        'select * from users where account_id = $1 and id = $2',
        [accountId, id],
      )
      return { status: 200, body: toUser(row as UserRow, isPostgres) }
    },
    'GET /client/user': async (headers, _body, query) => {
      const accountId = await authenticate(headers)
      if (accountId === undefined) return { status: 401, body: { code: 'api_key_invalid' } }
      const page = Number(query.page ?? 1)
      const limit = Number(query.limit ?? 10)
      const [count] = await run(
        'count',
        'select count(*) as total from users where account_id = $1',
        [accountId],
      )
      const rows = await run(
        'list',
        'select * from users where account_id = $1 order by id limit $2 offset $3',
        [accountId, limit, (page - 1) * limit],
      )
      const data = (rows as UserRow[]).map((row) => toUser(row, isPostgres))
      return { status: 200, body: { data, page, limit, total: (count as { total: number }).total } }
    },
  }
}

function toUser(row: UserRow, isPostgres: boolean): object {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    roles: isPostgres ? row.roles : JSON.parse(row.roles),
    metadata: isPostgres ? row.metadata : JSON.parse(row.metadata),
    is_active: Boolean(row.is_active),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

function hash(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
