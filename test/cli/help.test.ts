import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runInTurn } from '../support/run-command.ts'

/** What stands in an example for what a reader puts there; no test asks the network. */
const given: Record<string, string> = {
  ID: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f',
  '-': 'password',
  'https://accounts.google.com': 'https://issuer.invalid',
}

/** What a command says after it has read its options, where what they name does not exist, or no mail server is named */
const saidOfObjects =
  /^error (?:[a-z_]+_not_found|mail_unavailable):|--issuer cannot be discovered|--after is not a cursor/

interface Help {
  /** The words that name the command */
  path: string[]
  text: string
}

/** The help of every command that does something, found through the help of the commands above it. */
async function readAll(path: string[] = []): Promise<Help[]> {
  const { code, output } = await runInTurn([...path, '--help'], {})
  expect(code, path.join(' ')).toBe(0)
  const names = listTerms(output, 'Commands').filter((name) => name !== 'help')
  if (names.length === 0) return [{ path, text: output }]
  const below: Help[] = []
  for (const name of names) below.push(...(await readAll([...path, name])))
  return below
}

/** The first words of the lines below a title. */
function listTerms(text: string, title: string): string[] {
  const [, lines = ''] = new RegExp(`^${title}:\\n((?: .*\\n)*)`, 'm').exec(text) ?? []
  return [...lines.matchAll(/^ {2}(\S.*?)(?: {2}|$)/gm)].flatMap(([, term = '']) =>
    term.split(', ').map((each) => each.split(' ')[0] ?? ''),
  )
}

/** The words of an example, as a shell reads them. */
function readExample(text: string): string[] {
  const [, line = ''] = /^Example: clientele (.*)$/m.exec(text) ?? []
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

describe('the help of every command has an example', () => {
  let folder: string
  let all: Help[]
  let environment: Record<string, string>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clientele-help-'))
    await writeFile(join(folder, 'users.csv'), 'name,email\nAda,ada@example.com\n')
    await writeFile(join(folder, 'password'), 'analytical engine')
    environment = {
      DATABASE_URL: 'sqlite:users.sqlite',
      CLIENTELE_SECRET: 'long enough for a test',
    }
    all = await readAll()
    expect((await runInTurn(['migrate'], environment, folder)).code).toBe(0)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('which begins with the command, and has options that exist', () => {
    expect(all.length).toBeGreaterThan(35)
    for (const { path, text } of all) {
      const words = readExample(text)
      expect(words.slice(0, path.length), path.join(' ')).toEqual(path)
      const known = [...listTerms(text, 'Options'), '--json']
      expect(known).toContain('--help')
      const used = words.filter((word) => word.startsWith('--'))
      expect(known, path.join(' ')).toEqual(expect.arrayContaining(used))
    }
  })

  test('which the command takes as it stands, with what a reader puts in', async () => {
    const refused: string[] = []
    // They would go on serving.
    for (const { text } of all.filter(({ path }) => !['serve', 'mcp'].includes(path[0] ?? ''))) {
      const args = readExample(text).map((word) => given[word] ?? word)
      const { code, errors } = await runInTurn(args, environment, folder)
      if (code !== 0 && !saidOfObjects.test(errors)) refused.push(`${args}: ${errors}`)
    }
    expect(refused).toEqual([])
  })
})
