import type { ImportOptions } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '../console/console-world.ts'
import { anyDatabase } from '../support/databases.ts'
import { ImportWorld } from './import-world.ts'

const salt = 'c2FsdHNhbHRzYWx0c2FsdA'
const digest = 'nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'
const pbkdf2 = (name: string, rounds: number) => `$pbkdf2-${name}$i=${rounds}$${salt}$${digest}`
const bcrypt = (cost: number) =>
  `$2b$${String(cost).padStart(2, '0')}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`
const argon2 = (memory: number, passes: number) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=1$${salt}$${digest}`
const scrypt = (logN: number, lanes: number) =>
  `$scrypt$ln=${logN},r=8,p=${lanes}$${salt}$${digest}`

/** The dearest that may come without an operator's word, and the next one */
const bounds: Record<string, [taken: string, refused: string]> = {
  'PBKDF2 with SHA-1': [pbkdf2('sha1', 1_470_588 / 2), pbkdf2('sha1', 1_470_590 / 2)],
  'PBKDF2 with SHA-256': [pbkdf2('sha256', 1_000_000), pbkdf2('sha256', 1_000_001)],
  'PBKDF2 with SHA-512': [pbkdf2('sha512', 250_000), pbkdf2('sha512', 250_001)],
  bcrypt: [bcrypt(12), bcrypt(13)],
  'Argon2, by its memory': [argon2(65_536, 3), argon2(65_537, 3)],
  'Argon2, by its time': [argon2(62_500, 8), argon2(62_501, 8)],
  scrypt: [scrypt(16, 1), scrypt(17, 1)],
  'scrypt, by its lanes': [scrypt(14, 4), scrypt(14, 5)],
}

describe.each(anyDatabase)('the maximum cost of an imported hash, on $name', (target) => {
  let world: ImportWorld
  let accountId: string

  beforeAll(async () => {
    world = await ImportWorld.open(target)
    accountId = await world.newAccount()
  })
  afterAll(() => world.close())

  async function judge(passwordHash: string, options: ImportOptions = {}) {
    async function* readRecords() {
      yield { line: 1, value: { name: 'Ada', email: 'ada@example.com', passwordHash } }
    }
    const result = await world.clientele.users.import(accountId, readRecords(), {
      dryRun: true,
      onError: 'skip',
      ...options,
    })
    return result.errors[0]?.message ?? 'taken'
  }

  test.each(Object.entries(bounds))('%s', async (_, [taken, refused]) => {
    expect(await judge(taken)).toBe('taken')
    expect(await judge(refused)).toMatch(
      /^\/passwordHash cannot be taken: to verify it takes .* allowed here \(hashLimits\.(milliseconds|mebibytes) allows more\)$/,
    )
    const more = { milliseconds: 1_000, mebibytes: 256 }
    expect(await judge(refused, { hashLimits: more })).toBe('taken')
  })

  test('one limit can be raised without the other', async () => {
    const large = argon2(262_144, 1)
    expect(await judge(large)).toContain('256 MiB, and 64 MiB')
    expect(await judge(large, { hashLimits: { mebibytes: 256 } })).toBe('taken')
    const slow = pbkdf2('sha512', 1_000_000)
    expect(await judge(slow)).toContain('about 1000 ms, and 250 ms')
    expect(await judge(slow, { hashLimits: { milliseconds: 1_000 } })).toBe('taken')
  })

  test('a hash that cannot be computed is refused with the reason, whatever the limit', async () => {
    const most = { milliseconds: 10_000, mebibytes: 1_024 }
    const impossible = `$scrypt$ln=23,r=1,p=1$${salt}$${digest}`
    expect(await judge(impossible, { hashLimits: most })).toContain('its N is too large for its r')
  })

  test('the limits have a maximum', async () => {
    for (const hashLimits of [{ milliseconds: 10_001 }, { mebibytes: 1_025 }, { milliseconds: 0 }])
      await expect(judge(bcrypt(4), { hashLimits })).rejects.toMatchObject({
        code: 'validation_failed',
      })
  })

  test('the console has the same limit for operators', async () => {
    const readFile = async () => undefined
    const browser = await new Browser(world.clientele, { readFile }).followLink(world.clientele)
    const records = [{ name: 'Ada', email: 'ada@example.com', password_hash: bcrypt(13) }]
    const body = { records, dry_run: true, on_error: 'skip' }
    const answer = await browser.ask('POST', 'import', { accountId, body })
    expect(answer.json).toMatchObject({ imported: 0, errors: [{ line: 1, code: 'format' }] })
    const { apiKey } = await world.clientele.apiKeys.create(accountId)
    const holder = await new Browser(world.clientele, { readFile }).signIn(apiKey)
    expect((await holder.ask('POST', 'import', { body })).json).toMatchObject({ imported: 0 })
  })

  test('the command line allows hashes of a second, and more with an option', async () => {
    const line = (password_hash: string) => [
      { name: 'Ada', email: 'ada@example.com', password_hash },
    ]
    const dear = await world.write(line(bcrypt(13)))
    const dearest = await world.write(line(bcrypt(15)))
    const run = (file: string, ...more: string[]) => {
      const args = ['user', 'import', '--file', file, '--account', accountId, '--dry-run', ...more]
      return world.run(...args)
    }
    expect(await run(dear)).toMatchObject({ code: 0 })
    const refused = await run(dear, '--max-hash-ms', '250')
    expect(refused.code).toBe(1)
    expect(refused.output).toContain('with --max-hash-ms allows more')
    const large = await world.write(line(argon2(262_144, 1)))
    expect((await run(large, '--max-hash-mib', '255')).output).toContain(
      'with --max-hash-mib allows more',
    )
    expect(await run(dearest)).toMatchObject({ code: 1 })
    expect(await run(dearest, '--max-hash-ms', '2000')).toMatchObject({ code: 0 })
    expect(await run(dearest, '--max-hash-ms', '10001')).toMatchObject({ code: 2 })
  })
})
