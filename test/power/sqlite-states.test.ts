import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { cheapHashing } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { findParent } from '../support/find-parent.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { checkState, type DiskState, type Step } from './check-state.ts'
import { takeSteps } from './take-steps.ts'
import { findPageWrites, findWalWrites, tearWrites } from './torn-writes.ts'

const turns = runsEveryTest ? 8 : 1
/** How many states there are for each one that is checked */
const checkedEach = runsEveryTest ? 1 : 3

async function openHouse() {
  const { url, close } = await openDatabase('sqlite')
  onTestFinished(close)
  const connection = new Sqlite(url.slice('sqlite:'.length))
  onTestFinished(() => void connection.close())
  const clientele = await createClientele({
    repository: sqlite({ database: connection }),
    secrets: ['a secret of the tests, 32 characters'],
    passwords: { hashing: cheapHashing },
  })
  onTestFinished(() => clientele.close())
  const account = await clientele.accounts.create({ name: 'Acme' })
  return { clientele, connection, accountId: account.id }
}

test('each state in which a power cut can leave the file is sound, and has all acknowledged steps', async () => {
  const { clientele, connection, accountId } = await openHouse()
  // Synced before a step is acknowledged: until then a disk may have any part of what was written.
  expect(connection.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(connection.pragma('synchronous', { simple: true })).toBe(2)
  const pageBytes = Number(connection.pragma('page_size', { simple: true }))
  const folder = await mkdtemp(join(await findParent(), 'clientele-power-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const look = () => ({
    main: readFileSync(connection.name),
    wal: readFileSync(`${connection.name}-wal`),
  })
  const acknowledged: Step[] = []
  const wrong: string[] = []
  let count = 0
  const check = (state: DiskState, underWay?: Step): void => {
    if (++count % checkedEach !== 0) return
    for (const fault of checkState(folder, state, acknowledged, underWay))
      wrong.push(`state ${count}, after ${acknowledged.at(-1)?.id}: ${fault}`)
  }
  let before = look()
  for await (const step of takeSteps(clientele, accountId, turns)) {
    const after = look()
    expect(after.main.equals(before.main)).toBe(true)
    const writes = findWalWrites(before.wal, after.wal, pageBytes)
    expect(writes.length).toBeGreaterThan(0)
    for (const wal of tearWrites(before.wal, writes)) check({ main: after.main, wal }, step)
    acknowledged.push(step)
    check(after)
    before = after
    if (acknowledged.length % 3 !== 0) continue
    // A checkpoint writes the pages to the file; the log stays until they are synced, and is then written from its start.
    connection.pragma('wal_checkpoint(PASSIVE)')
    const pages = findPageWrites(after.main, look().main, pageBytes)
    expect(pages.length).toBeGreaterThan(0)
    for (const main of tearWrites(after.main, pages)) check({ main, wal: after.wal })
    before = look()
    check({ main: before.main })
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(turns * 100)
})

test('the check finds a lost end of the log, and a page that is torn', async () => {
  const { clientele, connection, accountId } = await openHouse()
  const folder = await mkdtemp(join(await findParent(), 'clientele-power-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const read = (suffix: string): Buffer => readFileSync(connection.name + suffix)
  const early = read('-wal')
  const { user, version } = await clientele.users.create(
    { accountId, requestId: 'created' },
    { name: 'Ada', email: 'ada@example.com', password: 'correct horse' },
  )
  const step = { id: 'created', userId: user.id, version }
  expect(checkState(folder, { main: read(''), wal: read('-wal') }, [step], undefined)).toEqual([])
  expect(checkState(folder, { main: read(''), wal: early }, [step], undefined)).toHaveLength(2)
  connection.pragma('wal_checkpoint(PASSIVE)')
  const main = read('')
  expect(checkState(folder, { main }, [step], undefined)).toEqual([])
  main.fill(0, main.length / 2)
  expect(checkState(folder, { main }, [step], undefined)).not.toEqual([])
})
