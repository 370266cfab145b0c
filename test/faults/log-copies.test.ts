import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClientele } from '@clientele/core'
import { expect, onTestFinished, test } from 'vitest'
import { LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

const secrets = ['a secret of the tests, 32 characters']
const users = 800
const metadata = { note: 'a'.repeat(8_000) }
const mebibyte = 1024 * 1024

function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'users.sqlite')
}

test("SQLite's log is copied into the file long before a commit would have to copy it", async () => {
  const file = openFile()
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

test('large old events are deleted no faster than the log is copied', async () => {
  const file = openFile()
  const url = `sqlite:${file}`
  const repository = repositoryOf(url)
  onTestFinished(() => repository.storage.close())
  const clientele = await createClientele({ repository, secrets, logger: new LogRecorder() })
  onTestFinished(() => clientele.close())
  const { id } = await clientele.accounts.create({ name: 'Shop' })
  await runSql(
    url,
    `with recursive n(n) as (select 1 union all select n + 1 from n where n < 1500)
     insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, subject_id,
       data, person, position)
     select '${id}', 'e' || n, 'user.updated', 1000, 'system', 'r', 'user', 'u', '{}', '${'x'.repeat(30_000)}', n from n`,
    `insert into clientele_event_feeds (account_id, last_position, purged_position) values ('${id}', 1500, 0)`,
    'pragma wal_checkpoint(truncate)',
  )
  const times = { now: Date.now(), eventsBefore: Date.now() }
  let deleted = 1
  while (deleted > 0) deleted = await repository.events.purge(id, times)
  expect(await runSql(url, 'select * from clientele_events where position <= 1500')).toEqual([])
  expect(statSync(`${file}-wal`).size / mebibyte).toBeLessThan(15)
})
