import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../package/source-files.ts'

const guide = readFileSync(join(root, 'packages/core/guides/testing.md'), 'utf8')
const source = readFileSync(
  join(root, 'packages/core/src/testing/create-test-clientele.ts'),
  'utf8',
)
const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block)
const example = /@example\n(.*?)\n \*\//s.exec(source)?.[1]?.replace(/^ \* ?/gm, '') ?? ''

/** Runs a program as a file of this package. */
function run(name: string, text: string): string {
  const file = join(import.meta.dirname, `.${name}.ts`)
  onTestFinished(() => rmSync(file, { force: true }))
  writeFileSync(file, text)
  return execFileSync(process.execPath, [file], { encoding: 'utf8' })
}

test('there are examples', () => {
  expect(blocks.length).toBeGreaterThan(0)
  expect(example).toContain('createTestClientele()')
})

test.each(blocks.map((text, index) => ({ index, text })))(
  'block $index of the guide runs',
  { timeout: 120_000 },
  ({ index, text }) => {
    expect(run(`guide-${index}`, text)).toBe('')
  },
)

test('the example of createTestClientele runs', () => {
  expect(run('example', example)).toBe('')
})
