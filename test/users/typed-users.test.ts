import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../package/source-files.ts'

const run = promisify(execFile)
const timeout = 120_000
const folder = join(root, 'test/types/registered')
const guide = readFileSync(join(root, 'packages/core/guides/typed-users.md'), 'utf8')
const [, block = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? []

/** What the compiler says of files of a program that has registered its own schemas. */
async function compile(...files: string[]): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const config = join(folder, '.tsconfig.json')
  onTestFinished(() => rmSync(config, { force: true }))
  writeFileSync(config, JSON.stringify({ extends: './tsconfig.json', include: files }))
  const { stdout } = await run(process.execPath, [compiler, '-p', config]).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

test('types say what a host has registered, and refuse the rest', { timeout }, async () => {
  expect(await compile('typed-users.ts')).toBe('')
})

test('the example of the guide compiles and runs', { timeout }, async () => {
  expect(block).toContain('interface Register')
  const file = join(folder, '.guide.ts')
  onTestFinished(() => rmSync(file, { force: true }))
  writeFileSync(file, block)
  expect(await compile('.guide.ts')).toBe('')
  expect(await run(process.execPath, [file])).toMatchObject({ stdout: '', stderr: '' })
})
