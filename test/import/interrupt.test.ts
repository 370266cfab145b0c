import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { databases } from '../support/databases.ts'
import { hasTerminal, runInTerminal } from '../support/run-in-terminal.ts'
import { ImportWorld, user } from './import-world.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 90_000 })

const count = 20_000
const lines = Array.from({ length: count }, (_, number) => user(number))
const sentence =
  /^Interrupted after (\d+) records, which are stored: run the same command with the same file to continue\.$/

describe.each(databases)('an import that is interrupted on $name', (target) => {
  let world: ImportWorld
  let file: string
  beforeAll(async () => {
    world = await ImportWorld.open(target)
    file = await world.write(lines)
  })
  afterAll(() => world.close())
  const total = async (account: string) => (await world.clientele.users.list(account)).total

  async function expectResumable(account: string, said: string | undefined): Promise<void> {
    const stored = Number(sentence.exec(said ?? '')?.[1])
    expect(await total(account)).toBe(stored)
    expect(stored).toBeLessThan(count)
    const { code, output } = await world.runImport(account, file)
    expect({ code, output }).toEqual({
      code: 0,
      output:
        `Imported: ${count}, skipped: 0, without a password: ${count}\n` +
        `This run continued an earlier one, after ${stored} records. ` +
        `The earlier part of these figures: ${stored} imported, 0 skipped.\n`,
    })
    expect(await total(account)).toBe(count)
    const exported = (await world.export(account)).trim().split('\n')
    expect(exported.map((line) => JSON.parse(line).email)).toEqual(lines.map(({ email }) => email))
  }

  test.each([
    ['SIGINT', 130, ['SIGINT']],
    // To the whole process group, and once more from the parent process.
    ['SIGINT twice', 130, ['SIGINT', 'SIGINT']],
    ['SIGTERM', 143, ['SIGTERM']],
  ] as const)('by %s prints how to continue, and continues', async (_, code, signals) => {
    const account = await world.newAccount()
    const running = world.startImport(account, file)
    await expect.poll(() => total(account), { timeout: 60_000, interval: 5 }).toBeGreaterThan(0)
    for (const signal of signals) running.child.kill(signal)
    expect(await running.ended).toBe(code)
    expect(running.output()).toBe('')
    const errors = running.errors()
    expect(errors.endsWith('\n')).toBe(true)
    const said = errors.trimEnd().split('\n')
    expect(said.filter((line) => !/^\d+%, \d+ users, /.test(line))).toEqual([said.at(-1)])
    await expectResumable(account, said.at(-1))
  })

  test.skipIf(!hasTerminal)(
    'by Ctrl-C leaves whole lines on the terminal (needs util-linux)',
    async () => {
      const account = await world.newAccount()
      const { code, screen } = await runInTerminal(
        ['user', 'import', '--account', account, '--file', file],
        { DATABASE_URL: world.database.url },
        / [1-9]\d* users/,
      )
      expect(code).toBe(130)
      const shown = screen.split('\n')
      expect(shown.at(-1)).toBe('')
      expect(shown.at(-2)).toMatch(sentence)
      expect(shown.at(-3)).toMatch(/ users /)
      await expectResumable(account, shown.at(-2))
    },
  )
})
