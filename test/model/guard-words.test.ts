import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guards } from './guards.ts'

const dist = join(import.meta.dirname, '../../packages/core/dist')
const program = readdirSync(dist)
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(join(dist, name), 'utf8'))
  .join('\n')

// A guard that is written in another way needs other words. Whether the model misses it takes longer: guards.test.ts.
test.each(guards)('the words of a guard are in the built program: $name', ({ changes }) => {
  const absent = changes.filter(([from]) => program.replace(from, '') === program)
  expect(absent).toEqual([])
})
