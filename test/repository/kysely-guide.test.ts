import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../package/source-files.ts'

const guide = readFileSync(join(root, 'packages/core/guides/kysely.md'), 'utf8')
const [, block = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? []

test('the example of the guide runs, with the driver that Node brings', async () => {
  expect(block).toContain("from 'node:sqlite'")
  const file = join(root, 'test/.kysely-guide.ts')
  onTestFinished(() => rmSync(file, { force: true }))
  writeFileSync(file, block)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--no-warnings', file])
  expect([stdout, stderr]).toEqual(['', ''])
})
