import dns from 'node:dns'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClienteleError, createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { postgres } from '@clientele/core/postgres'
import { Client, Pool } from 'pg'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type OpenDatabase, openEmptyDatabase } from '../support/databases.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { runSql } from '../support/run-sql.ts'
import { TlsDoor } from '../support/tls-door.ts'

const secrets = ['a secret for tests that is long enough']
let database: OpenDatabase
/** The parts of the database's URL */
let parts: URL
beforeAll(async () => {
  database = await openEmptyDatabase('postgres')
  parts = new URL(database.url)
})
afterAll(() => database.close())

/** Starts on a URL, and writes and reads. */
async function serve(url: string): Promise<void> {
  const repository = await openRepository(url)
  try {
    const clientele = await createClientele({ repository, secrets })
    const account = await clientele.accounts.create({ name: 'Acme' })
    expect(await clientele.accounts.find(account.id)).toEqual(account)
  } finally {
    await repository.storage.close()
  }
}

async function faultOf(url: string): Promise<ClienteleError> {
  const fault: unknown = await serve(url).catch((error: unknown) => error)
  expect(fault).toBeInstanceOf(ClienteleError)
  return fault as ClienteleError // looked at above
}

/** What a system answers that can ask: a test must not wait for the network of its machine. */
function knowNoNames(): void {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((
    hostname: string,
    _options: object,
    callback: (error: Error) => void,
  ) => {
    const details = { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname }
    callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), details))
  }) as never) // only what is called here
  onTestFinished(() => lookup.mockRestore())
}

describe('URLs that are refused with an explanation', () => {
  test.each([
    ['host/db?pgbouncer=true', 'write prepared_statements=false'],
    ['host/db?ssl=true', 'write sslmode=require'],
    [
      'host/db?sslmode=allow',
      'sslmode must be one of disable, prefer, require, verify-ca, verify-full',
    ],
    ['host/db?sslmode=no-verify', 'sslmode must be one of'],
    ['host/db?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
    ['host/db?sslmode=require&sslrootcert=system', 'needs sslmode=verify-full'],
    ['host/db?sslrootcert=/nowhere/hunter2.crt', 'the file of sslrootcert cannot be read'],
    ['host/db?sslnegotiation=direct', 'needs sslmode=require'],
    [
      'host/db?channel_binding=require',
      'channel_binding must be disable or prefer: .* write sslmode=verify-full',
    ],
    [
      'host/db?target_session_attrs=standby',
      'target_session_attrs must be read-write or primary or any',
    ],
    ['host/db?load_balance_hosts=random', 'load_balance_hosts must be one of disable'],
    ['host/db?prepared_statements=no', 'prepared_statements must be one of true, false'],
    ['host/db?shema=ours', 'the parameter shema is not known'],
    ['host/db?constructor=1', 'the parameter constructor is not known'],
    ['host/db?__proto__=1', 'percent-encoded'],
    ['host/db?shema=ours&sslmode=on', 'sslmode must be .*; the parameter shema is not known'],
    ['host/db?schema=a&schema=b', 'give schema once'],
    ['host/db?statement_timeout=1s', 'statement_timeout must be a whole number of milliseconds'],
    ['host/db?sslrootcert=', 'sslrootcert must name a file'],
    ['host/db?sslkey=&lock_timeout=0', 'sslkey must name a file; lock_timeout must be'],
    ['host/db?port=0', 'a port is a number from 1 to 65535'],
    ['a,b,c/db?port=1,2', 'give as many ports as hosts'],
    ['host:99999/db', 'a port is a number from 1 to 65535'],
    ['ho st/db', 'percent-encoded'],
    ['host/100%', 'a % stands before two hexadecimal digits'],
    // A password with a slash, a question mark or a hash in it, as it should not be written.
    ['user:1/hunter2@host/db', 'percent-encoded'],
    ['user:1?hunter2@host/db', 'percent-encoded'],
    ['user:1?hunter2&a=b@host/db', 'percent-encoded'],
  ])('postgres://%s', async (rest, rule) => {
    const { code, message } = await faultOf(`postgres://${rest}`)
    expect(code).toBe('configuration_invalid')
    expect(message).toMatch(new RegExp(`^DATABASE_URL is not valid: .*${rule}`))
    expect(message).not.toContain('hunter2')
  })

  test('as an option of the library, under the name of the option', () => {
    expect(() => postgres({ connectionString: 'postgres://host/db?shema=ours' })).toThrow(
      'options.connectionString is not valid: the parameter shema is not known.',
    )
  })

  test('PGSSLMODE is not ignored', async () => {
    process.env.PGSSLMODE = 'verify-all'
    try {
      expect((await faultOf(database.url)).message).toContain('PGSSLMODE must be one of disable')
    } finally {
      delete process.env.PGSSLMODE
    }
  })
})

describe('URLs that libpq accepts', () => {
  const name = () => parts.pathname.slice(1)
  test.each([
    [
      'parameters',
      () =>
        `postgresql:///?host=127.0.0.1&port=${parts.port}&user=postgres` +
        `&password=${parts.password}&dbname=${name()}`,
    ],
    [
      'parameters in the place of the parts',
      () => `${database.url}?host=127.0.0.1&connect_timeout=3`,
    ],
    ['limits of time', () => `${database.url}?statement_timeout=5000&lock_timeout=2000`],
    [
      'what asks for what is done anyway',
      () => `${database.url}?uselibpqcompat=true&client_encoding=UTF8`,
    ],
    [
      'a name for the application',
      () => `${database.url}?application_name=acme&channel_binding=prefer`,
    ],
    [
      'a password with an @ in it',
      () => {
        const url = new URL(database.url)
        return `postgres://postgres:${url.password}@${url.host}/${name()}?target_session_attrs=primary`
      },
    ],
  ])('%s', (_name, url) => serve(url()))

  test('a plus sign, which is not a space', async () => {
    const repository = await openRepository(`${database.url}?application_name=a+b%2Bc%20d`)
    try {
      await repository.storage.missingMigrations()
      const names = await runSql(
        database.url,
        "select application_name from pg_stat_activity where application_name like 'a%d'",
      )
      expect(names).toEqual([{ application_name: 'a+b+c d' }])
    } finally {
      await repository.storage.close()
    }
  })

  test('the folder of a socket', async () => {
    const [row] = await runSql(database.url, 'show unix_socket_directories')
    const [folder = ''] = Object.values(row as Record<string, string>)[0]?.split(',') ?? []
    expect(folder).toMatch(/^\//)
    const { port, password } = parts
    await serve(
      `postgres://postgres:${password}@/${name()}?host=${folder}&port=${port}&sslmode=require`,
    )
    await serve(`postgres://postgres:${password}@${encodeURIComponent(folder)}:${port}/${name()}`)
    // A folder without a socket is like a host that does not listen.
    expect(await faultOf(`postgres:///db?host=/nowhere`)).toMatchObject({
      code: 'storage_unavailable',
    })
  })
})

describe('sslmode', () => {
  const doors: Record<string, { door: TlsDoor; port: number }> = {}
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clientele-tls-'))
    const address = await makeCertificate({ type: 7, ip: '127.0.0.1' })
    const otherName = await makeCertificate({ type: 2, value: 'db.example.com' })
    for (const [name, pair] of Object.entries({ address, otherName, none: undefined })) {
      const door = new TlsDoor(database.url, pair)
      doors[name] = { door, port: await door.open() }
      await writeFile(join(folder, `${name}.crt`), pair?.cert ?? '')
    }
  })
  afterAll(async () => {
    for (const { door } of Object.values(doors)) await door.close()
    await rm(folder, { recursive: true })
  })

  async function makeCertificate(altName: { type: 2 | 7; ip?: string; value?: string }) {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'test' }], {
      keyType: 'ec',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [altName] },
      ],
    })
    return { cert, key }
  }

  test.each([
    ['address', '', 'encrypted'],
    ['address', 'sslmode=prefer', 'encrypted'],
    ['address', 'sslmode=disable', 'plain'],
    ['address', 'sslmode=require', 'encrypted'],
    ['address', 'sslmode=require&sslrootcert=address', 'encrypted'],
    ['address', 'sslmode=require&sslrootcert=otherName', 'certificate .* not trusted'],
    ['address', 'sslmode=verify-ca&sslrootcert=address', 'encrypted'],
    ['address', 'sslmode=verify-ca&sslrootcert=otherName', 'certificate .* not trusted'],
    ['address', 'sslmode=verify-full&sslrootcert=address', 'encrypted'],
    ['address', 'sslmode=verify-full', 'certificate .* not trusted'],
    ['address', 'sslrootcert=system', 'certificate .* not trusted'],
    ['otherName', 'sslmode=verify-ca&sslrootcert=otherName', 'encrypted'],
    ['otherName', 'sslmode=verify-full&sslrootcert=otherName', 'certificate .* not trusted'],
    ['none', '', 'plain'],
    ['none', 'sslmode=prefer', 'plain'],
    ['none', 'sslmode=require', 'sslmode asks for TLS'],
  ])('a server with a certificate for: %s, ?%s: %s', async (name, parameters, expected) => {
    const { door, port } = doors[name] ?? {}
    if (door === undefined) throw new Error(`No door ${name}.`)
    const url = new URL(database.url)
    url.port = String(port)
    url.search = parameters.replace(/sslrootcert=(\w+[^m])$/, `sslrootcert=${folder}/$1.crt`)
    door.seen.length = 0
    if (expected === 'encrypted' || expected === 'plain') {
      await serve(url.href)
      expect([...new Set(door.seen)]).toEqual([expected])
    } else {
      const fault = await faultOf(url.href)
      expect(fault.code).toBe('configuration_invalid')
      expect(fault.message).toMatch(new RegExp(expected))
      expect(door.seen).toEqual([])
    }
  })
})

describe('faults that only a setting can resolve', () => {
  test.each([
    [
      'a wrong password',
      (url: URL) => {
        url.password = 'hunter2'
      },
      'refuses the password',
    ],
    [
      'no password',
      (url: URL) => {
        url.password = ''
      },
      'password',
    ],
    [
      'no such user',
      (url: URL) => {
        url.username = 'nobody'
      },
      'does not know the user',
    ],
    [
      'no such database',
      (url: URL) => {
        url.pathname = '/nowhere'
      },
      'There is no such database',
    ],
    [
      'no such host',
      (url: URL) => {
        url.hostname = 'nowhere.invalid'
        knowNoNames()
      },
      'host name .* not known',
    ],
  ])('%s is explained at the start', async (_name, change, sentence) => {
    const url = new URL(database.url)
    change(url)
    const { code, message } = await faultOf(url.href)
    expect(code).toBe('configuration_invalid')
    expect(message).toMatch(new RegExp(sentence))
    expect(message).not.toContain('hunter2')
  })

  test('a server that does not listen is unavailable, not misconfigured', async () => {
    const url = new URL(database.url)
    url.port = String(await findFreePort())
    expect(await faultOf(url.href)).toMatchObject({ code: 'storage_unavailable' })
  })

  test('a password that changes while the server runs makes the database unavailable', async () => {
    const role = `clientele_role_${Date.now()}`
    await runSql(database.url, `create role ${role} login superuser password 'first'`)
    const url = new URL(database.url)
    url.username = role
    url.password = 'first'
    const clientele = await createClientele({ repository: await openRepository(url.href), secrets })
    await runSql(
      database.url,
      `alter role ${role} password 'second'`,
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
    )
    await expect
      .poll(() => clientele.accounts.list().catch((fault: unknown) => fault))
      .toMatchObject({
        code: 'storage_unavailable',
        cause: { code: '28P01' },
      })
    await runSql(database.url, `alter role ${role} password 'first'`)
    expect(await clientele.accounts.list()).toEqual(expect.any(Array))
    await clientele.close()
    await runSql(database.url, `drop owned by ${role}`, `drop role ${role}`)
  })
})

test('a pool of pg.native is refused', () => {
  // As pg.native makes it, where the package pg-native is installed, which needs libpq and a compiler.
  class NativeClient extends Client {
    isConnected(): boolean {
      return false
    }
  }
  const pool = new Pool({ Client: NativeClient })
  expect(() => postgres({ pool })).toThrow(
    expect.objectContaining({
      code: 'configuration_invalid',
      message: expect.stringContaining('pg.native'),
    }),
  )
  expect(() => postgres({ pool: new Pool() })).not.toThrow()
})
