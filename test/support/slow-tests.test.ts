import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leftOutParts } from './left-out-parts.ts'
import { slowTests } from './slow-tests.ts'

const folder = join(import.meta.dirname, '..')

test('excluded files exist: a misspelt name would exclude nothing', () => {
  const missing = slowTests.filter((name) => !existsSync(join(folder, `${name}.test.ts`)))
  expect(missing).toEqual([])
})

test('each file that leaves out a part of itself is listed with a description', () => {
  const deciding = globSync('*/**/*.ts', {
    cwd: folder,
    exclude: (name) => name.endsWith('node_modules'),
  })
    .filter((file) => readFileSync(join(folder, file), 'utf8').includes('runsEveryTest'))
    .map((file) => file.replaceAll('\\', '/').replace(/(\.test)?\.ts$/, ''))
    .filter((name) => !name.startsWith('support/slow-tests') && !slowTests.includes(name))
  expect(Object.keys(leftOutParts).toSorted()).toEqual(deciding.toSorted())
})
