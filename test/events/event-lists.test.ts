import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventTypeNames } from '@clientele/core'
import { expect, test } from 'vitest'

test('the guide names every event', async () => {
  const file = join(import.meta.dirname, '../../packages/core/guides/events.md')
  const rows = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('| '))
  const names = rows.flatMap((row) => row.match(/`[a-z_]+\.[a-z_]+`/g) ?? [])
  expect(names.map((name) => name.slice(1, -1)).sort()).toEqual(
    [...eventTypeNames, 'session.refreshed'].sort(),
  )
})
