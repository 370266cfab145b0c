import { randomUUID } from 'node:crypto'
import type { Repository } from '@clientele/core'
import { openRepository } from '../support/clientele.ts'
import { createLargeAccount } from '../support/large-account.ts'
import { compare } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import type { Setting } from '../support/setting.ts'
import { loadWithoutCounts } from '../support/without-counts.ts'

type Write = () => Promise<unknown>

const profile = { name: 'A name', roles: '[]', metadata: '{}' }

/**
 * Create, replace and delete, without hashing a password, beside our own package without the rows that count users;
 * time is 1 / throughput of 8 writers.
 */
export async function writeUsers({ postgres, rounds, seconds }: Setting): Promise<void> {
  const without = await loadWithoutCounts()
  for (const name of ['SQLite', 'PostgreSQL'] as const) {
    const newUrl = () => (name === 'SQLite' ? newSqliteUrl() : postgres.createDatabase())
    const ours = await createWriter(await newUrl(), openRepository)
    const bare = await createWriter(await newUrl(), without.openRepository)
    for (const work of ['create', 'replace', 'delete'] as const) {
      const figures = await compare(
        { ours: timeOf(ours[work]), bare: timeOf(bare[work]) },
        {
          // Short turns: how fast a disk writes drifts, and what is looked for is a few per cent.
          rounds: rounds * 5,
          // What is deleted has to be created first.
          seconds: (work === 'delete' ? seconds / 2 : seconds) / 5,
          warmupSeconds: work === 'create' ? 2 : 0.2,
        },
      )
      const labels = [`${work}, ${name}`, 'without the counts'] as const
      report(labels[0], figures.ours ?? [], labels[1], figures.bare ?? [], 'µs', { atMost: 1.1 })
    }
    await Promise.all([ours.close(), bare.close()])
  }
  await without.remove()
}

async function createWriter(
  url: string,
  open: (url: string) => Repository,
): Promise<Record<'create' | 'replace' | 'delete', Write> & { close: () => Promise<void> }> {
  const { accountId } = await createLargeAccount(url, 10_000)
  const repository = open(url)
  const nextId = idGenerator()
  const created: string[] = []
  let replaced = 0
  return {
    create: async () => {
      const id = nextId()
      const user = {
        ...profile,
        id,
        email: `${id}@example.com`,
        isActive: true,
        createdAt: 1,
        updatedAt: 1,
      }
      await repository.users.create(accountId, { ...user, passwordHash: null })
      created.push(id)
    },
    replace: () => {
      const id = created[replaced++ % created.length] ?? ''
      const changes = { ...profile, email: `${id}@example.com`, updatedAt: 2 }
      return repository.users.replace(accountId, id, changes, null)
    },
    delete: () => repository.users.delete(accountId, created.pop() ?? randomUUID(), null),
    close: () => repository.storage.close(),
  }
}

function timeOf(write: Write): (seconds: number) => Promise<number> {
  return async (seconds) => {
    const end = performance.now() + seconds * 1000
    let writes = 0
    const loop = async (): Promise<void> => {
      while (performance.now() < end) {
        await write()
        writes++
      }
    }
    await Promise.all(Array.from({ length: 8 }, loop))
    return (seconds * 1e6) / writes
  }
}

/** Ids in ascending order, as both sides would have them. */
function idGenerator(): () => string {
  let number = 0
  return () => {
    const time = (Date.now() * 1000 + (number++ % 1000)).toString(16).padStart(14, '0')
    const random = randomUUID().slice(-12)
    return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${time.slice(12)}0-8000-${random}`
  }
}
