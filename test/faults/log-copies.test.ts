import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'

const secrets = ['a secret of the tests, 32 characters']
const users = 800
const metadata = { note: 'a'.repeat(8_000) }
const mebibyte = 1024 * 1024

test("SQLite's log is copied into the file long before a commit would have to copy it", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'users.sqlite')
  const clientele = await openClientele(`sqlite:${file}`, { secrets })
  onTestFinished(() => clientele.close())
  const { id } = await clientele.accounts.create({ name: 'Shop' })
  const before = statSync(file).size
  async function* records() {
    for (let line = 1; line <= users; line++)
      yield { line, value: { name: 'Ada', email: `ada${line}@example.com`, metadata } }
  }
  await clientele.users.import(id, records())
  const { size } = statSync(`${file}-wal`)
  // A commit copies a log of 16 MiB.
  expect(size / mebibyte).toBeLessThan(15)
  await expect
    .poll(() => (statSync(file).size - before) / mebibyte, { timeout: 10_000 })
    .toBeGreaterThan(4)
  expect((await clientele.users.list(id)).total).toBe(users)
})
