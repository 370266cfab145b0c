import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { anyDatabase } from '../support/databases.ts'
import { cliScript } from '../support/start-process.ts'
import { ImportWorld, user } from './import-world.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

describe.each(anyDatabase)('the file of an import on $name', (target) => {
  let world: ImportWorld
  beforeAll(async () => {
    world = await ImportWorld.open(target)
  })
  afterAll(() => world.close())
  const total = async (account: string) => (await world.clientele.users.list(account)).total
  const writeBytes = async (bytes: string | Buffer, ending = 'ndjson') => {
    const file = join(world.folder, `${randomUUID()}.${ending}`)
    await writeFile(file, bytes)
    return file
  }
  const expectRefused = async (file: string, sentence: string | RegExp) => {
    const account = await world.newAccount()
    const { code, output, errors } = await world.runImport(account, file, '--on-error', 'skip')
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toMatch(/^error configuration_invalid: /)
    expect(errors).toMatch(sentence)
    expect(await total(account)).toBe(0)
    return errors
  }

  test('a pipe, which can be read once, and a folder are refused', async () => {
    const account = await world.newAccount()
    const child = spawn(
      process.execPath,
      [cliScript, 'user', 'import', '--account', account, '--file', '/dev/stdin'],
      {
        env: { ...process.env, DATABASE_URL: world.database.url },
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    )
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    // It may have ended before it is told anything.
    child.stdin.on('error', () => {})
    child.stdin.end(`${JSON.stringify(user(1))}\n`)
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, errors }).toEqual({
      code: 1,
      errors: expect.stringContaining('Only a regular file can be imported'),
    })
    await expectRefused(world.folder, 'Only a regular file can be imported')
  })

  test('a file that is not UTF-8 is refused before its first record, with the line', async () => {
    // The broken byte stands behind many chunks, and characters lie across the ends of chunks.
    const many = Array.from({ length: 3000 }, (_, number) =>
      JSON.stringify(user(number, { name: `${'x'.repeat(number % 4)}Зоя 😀` })),
    ).join('\n')
    const latin = Buffer.from('{"email":"m@example.com","name":"M\u00fcller"}\n', 'latin1')
    await expectRefused(
      await writeBytes(Buffer.concat([Buffer.from(`${many}\n`), latin])),
      'is not UTF-8, at line 3001.',
    )
    const cut = Buffer.from('email,name\nm@example.com,Ada 😀').subarray(0, -2)
    await expectRefused(await writeBytes(cut, 'csv'), 'is not UTF-8, at line 2.')
    const account = await world.newAccount()
    const sound = await world.importJson(account, await writeBytes(many))
    expect(sound).toMatchObject({ code: 0, imported: 3000 })
  })

  test('broken CSV is refused before its first line, without quoting it', async () => {
    const many = Array.from(
      { length: 3000 },
      (_, number) => `user${number}@example.com,Ada,hunter2`,
    )
    for (const [line, fault] of [
      ['ada@example.com,Ada,hunter"2', 'a cell that does not begin with a quote contains one'],
      ['ada@example.com,Ada,"hunter"2', 'continues after its closing quote'],
      ['ada@example.com,Ada,"hunter2', 'a quote is not closed'],
    ]) {
      const text = ['email,name,password', ...many, line].join('\n')
      const errors = await expectRefused(await writeBytes(text, 'csv'), fault ?? '')
      expect(errors).toMatch(/at line 300[23]/)
      expect(errors).not.toContain('hunter')
    }
  })

  test.each([
    ['email;name;password', ';'],
    ['"email";"name";"password"', ';'],
    ['\n\nemail;name;password', ';'],
    ['email\tname\tpassword', 'a tab'],
  ])('the header %j is refused with the name of its separator', async (names, separator) => {
    const cells = names.replaceAll(/email|name|password/g, 'hunter2')
    const sentence = `the separator of the file is ${separator}, in its header line. Save it with commas.`
    const errors = await expectRefused(
      await writeBytes(`${names}\r\n${cells}\r\n`, 'csv'),
      sentence,
    )
    expect(errors).not.toContain('hunter')
  })

  test.each(['email,name', '"name";"email"', '\u{FEFF}full_name\tmail'])(
    'CSV with the header %j in a file of another name is refused with what to do, and read with --format',
    async (names) => {
      const file = await writeBytes(`${names}\nada@example.com,Ada\n`, 'txt')
      const account = await world.newAccount()
      const map = names.includes('full_name') ? ['--map', 'full_name=name', 'mail=email'] : []
      const { code, errors } = await world.runImport(account, file, '--on-error', 'skip', ...map)
      expect(code).toBe(1)
      expect(errors).toContain('its first line is the header line of CSV. Add --format csv')
      expect(await total(account)).toBe(0)
      if (names !== 'email,name') return
      const read = await world.importJson(account, file, '--format', 'csv')
      expect(read).toMatchObject({ code: 0, imported: 1 })
    },
  )

  test('NDJSON in a file that ends in .csv is refused with what to do, and read with --format', async () => {
    const file = await writeBytes(`\u{FEFF}${JSON.stringify(user(1))}\n`, 'csv')
    await expectRefused(file, 'its first line is JSON. If it is NDJSON, add --format ndjson.')
    const read = await world.importJson(await world.newAccount(), file, '--format', 'ndjson')
    expect(read).toMatchObject({ code: 0, imported: 1 })
  })

  test('a file without users says so', async () => {
    const sentence = 'the file is empty. The first line of a CSV file names the columns'
    await expectRefused(await writeBytes('', 'csv'), sentence)
    await expectRefused(await writeBytes('\n\n', 'csv'), sentence)
    const account = await world.newAccount()
    for (const file of [await writeBytes('email,name\n', 'csv'), await writeBytes('')]) {
      const { code, output } = await world.runImport(account, file)
      expect(code).toBe(0)
      expect(output).toContain('the file has no users')
    }
  })

  test('a line of any length is read', async () => {
    const account = await world.newAccount()
    const long = (length: number) => user(2, { picture: 'x'.repeat(length) })
    const lines = [user(1), long(2 * 1024 * 1024), user(3)]
    const taken = await world.importJson(
      account,
      await world.write(lines),
      ...['--ignore', 'picture'],
    )
    expect(taken).toMatchObject({ code: 0, imported: 3 })
    // 64 MiB in chunks of 64 KiB: looked at anew with each chunk it would be 32 GiB.
    const other = await world.newAccount()
    const endless = await world.write([user(1), long(64 * 1024 * 1024), user(3)])
    const result = await world.importJson(other, endless, '--on-error', 'skip')
    expect(result).toMatchObject({ code: 2, imported: 2, skipped: 1, errors: [{ line: 2 }] })
    expect(result.errors[0]?.message).toBe('has more than 16777216 characters')
  })
})
