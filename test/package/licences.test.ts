import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const run = promisify(execFile)

/** Licences that ask for no more than their own text. A new one is read by a person before it stands here. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

test('what the packages depend on has a permissive licence', async () => {
  const list = ['--filter', './packages/*', 'licenses', 'list', '--prod', '--json']
  const { stdout } = await run(process.execPath, ['run.mjs', 'pnpm', ...list], { cwd: root })
  const found: Record<string, { name: string }[]> = JSON.parse(stdout)
  const names = Object.values(found).flatMap((packages) => packages.map(({ name }) => name))
  // Of the server and of a validator, and what these depend on
  expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'jose', 'pg-protocol']))
  const others = Object.entries(found).filter(([licence]) => !permissive.includes(licence))
  expect(others).toEqual([])
})

test('what the console bundles has a permissive licence, whose text is in the package', () => {
  const file = join(root, 'packages/console/dist/page/THIRD-PARTY-NOTICES.md')
  const notices = readFileSync(file, 'utf8').split(/^## /m).slice(1)
  expect(notices.length).toBeGreaterThan(2)
  for (const notice of notices) {
    const [title = '', ...text] = notice.split('\n')
    const [, licence] = /\(([^)]+)\)$/.exec(title) ?? []
    expect(permissive, title).toContain(licence)
    expect(text.join('\n'), title).toMatch(/copyright/i)
  }
})
