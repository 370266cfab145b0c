import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as capability from './new-capability.ts'
import * as field from './new-field.ts'
import { root } from './source-files.ts'

const core = join(root, 'packages/core')
const run = promisify(execFile)

// Both are added to one copy of the sources: to compile it costs more than all else here.
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-recipes-'))
  await cp(join(core, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(core, 'package.json'), join(folder, 'package.json'))
  await symlink(join(core, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(folder, 'src/capabilities/notes'))
  for (const [name, text] of Object.entries(capability.room))
    await write(`capabilities/notes/${name}`, text)
  await write('sql/migrations/9999-notes.ts', capability.migration)
  await write('sql/migrations/9999-language.ts', field.migration)
  for (const edits of [capability.edits, field.edits])
    for (const [name, places] of Object.entries(edits)) await edit(name, places)
})
afterAll(() => rm(folder, { recursive: true }))

function write(name: string, text: string): Promise<void> {
  return writeFile(join(folder, 'src', name), text)
}

async function edit(name: string, places: readonly [place: string, put: string][]): Promise<void> {
  let text = await readFile(join(folder, 'src', name), 'utf8')
  for (const [place, put] of places) {
    expect([name, text.split(place).length]).toEqual([name, 2])
    text = text.replace(place, put + place)
  }
  await write(name, text)
}

async function runProgram(text: string): Promise<unknown> {
  const file = join(folder, 'program.ts')
  await writeFile(file, text)
  const { stdout } = await run(process.execPath, [file])
  return JSON.parse(stdout)
}

test('a new capability touches seven files outside of its folder, and its migration', () => {
  expect(Object.keys(capability.edits)).toHaveLength(7)
})

test("a user's new field is one entry and one migration", () => {
  expect(Object.keys(field.edits)).toEqual(['user-model/fields.ts', 'sql/migrations/migrate.ts'])
})

test('no other code fails to compile', async () => {
  const typeRoots = [join(root, 'node_modules/@types')]
  const extended = join(core, 'tsconfig.json')
  const config = { extends: extended, include: ['src'], compilerOptions: { typeRoots } }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiler = join(root, 'test/node_modules/typescript7/bin/tsc')
  // Several threads take more of the processor together, and other tests run beside it.
  const args = [compiler, '--noEmit', '--singleThreaded', '-p', folder]
  const { stdout } = await run(process.execPath, args).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
}, 300_000)

test('the capability has methods, routes, a tag, events, a problem, a table, and its erasure', async () => {
  expect(await runProgram(capability.program)).toEqual({
    text: 'Likes tea',
    refused: 'note_limit_reached',
    events: ['user.created', 'note.added'],
    status: 409,
    code: 'note_limit_reached',
    tag: 'What is noted of a user.',
    erased: 1,
  })
})

test('the field is stored, read, listed, patched, imported, exported, and on the wire', async () => {
  expect(await runProgram(field.program)).toEqual({
    languages: ['en-GB', 'en-GB', 'en-GB', 'fr', '', 'de'],
    refused: 'validation_failed',
    wire: 'en-GB',
    exported: ['pt', 'it'],
    http: 'pt',
  })
})
