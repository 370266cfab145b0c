import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventTypeNames } from '@clientele/core'
import { expect, test } from 'vitest'

test('the README names every event', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
  const section = readme.slice(readme.indexOf('## Reference: events'))
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  const names = rows.flatMap((row) => row.match(/`[a-z_]+\.[a-z_]+`/g) ?? [])
  expect(names.map((name) => name.slice(1, -1)).sort()).toEqual(
    [...eventTypeNames, 'session.refreshed'].sort(),
  )
})
