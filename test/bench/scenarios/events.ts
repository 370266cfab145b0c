import { openClientele, openRepository } from '../support/clientele.ts'
import { compareWrites } from '../support/compare-writes.ts'
import { events } from '../support/core-without.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import type { Setting } from '../support/setting.ts'

const feedLength = 100_000
const pageLength = 1_000
const leastPerSecond = 10_000

/** What it costs a write that its event is written with it, and how fast a feed is read by one process. */
export async function recordEvents(setting: Setting): Promise<void> {
  const works = ['create', 'replace', 'delete', 'refresh'] as const
  const name = 'without events'
  await compareWrites(setting, { works, removals: events, name, atMost: 1.25 })
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const url = database === 'SQLite' ? newSqliteUrl() : await setting.postgres.createDatabase()
    await readFeed(url, database, setting.rounds)
  }
}

/** Reads a feed to its end: the first time it gives the events their places. */
async function readFeed(url: string, database: string, rounds: number): Promise<void> {
  const accountId = await writeEvents(url)
  const clientele = await openClientele(url)
  const read = async (): Promise<number> => {
    const startedAt = performance.now()
    let count = 0
    let after: string | undefined
    for (let hasMore = true; hasMore; ) {
      const page = await clientele.events.read(accountId, { after, limit: pageLength })
      count += page.data.length
      after = page.nextCursor
      hasMore = page.hasMore
    }
    if (count < feedLength) throw new Error(`The feed has ${count} events.`)
    return (count * 1000) / (performance.now() - startedAt)
  }
  const target = { atLeast: 1 }
  const first = [await read()]
  report(`feed, first read, ${database}`, first, 'target', [leastPerSecond], '/s', target)
  const later: number[] = []
  for (let round = 0; round < rounds; round++) later.push(await read())
  const targets = later.map(() => leastPerSecond)
  report(`feed, read again, ${database}`, later, 'target', targets, '/s', target)
  await clientele.close()
}

/** An account with this number of events, none of them read yet. */
async function writeEvents(url: string): Promise<string> {
  const clientele = await openClientele(url)
  const { id: accountId } = await clientele.accounts.create({ name: 'Bench' })
  await clientele.close()
  const repository = openRepository(url)
  const ids = Array.from({ length: feedLength }, () => crypto.randomUUID())
  const append = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      await repository.events.append(accountId, {
        id,
        type: 'user.updated',
        accountId,
        createdAt: Date.now(),
        actor: { type: 'system', id: null },
        requestId: id,
        subject: { type: 'user', id },
        data: { changed: ['name'] },
      })
    }
  }
  await Promise.all(Array.from({ length: 500 }, append))
  await repository.storage.close()
  return accountId
}
