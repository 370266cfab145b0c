import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { slowTests } from './slow-tests.ts'

test('what is left out exists: a misspelt name would leave out nothing', () => {
  const folder = join(import.meta.dirname, '..')
  const missing = slowTests.filter((name) => !existsSync(join(folder, `${name}.test.ts`)))
  expect(missing).toEqual([])
})
