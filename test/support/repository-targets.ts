import type { Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import { Pool } from 'pg'
import { openEmptyDatabase, openForTarget, type TestDatabase } from './databases.ts'
import { kyselyTargets, type OpenKysely } from './kysely-targets.ts'
import { repositoryOf } from './open-repository.ts'
import { runsEveryTest } from './slow-tests.ts'
import { TransactionPooler } from './transaction-pooler.ts'

export interface OpenRepository {
  /** Migrated and empty */
  repository: Repository
  /** Another one on the same database, as another process would have it; undefined where that can't be */
  openAnother?: () => Repository
  close(): Promise<void>
}

export interface RepositoryTarget {
  name: string
  open(): Promise<OpenRepository>
}

/** Every way in which a repository can be opened. */
const everyTarget: readonly RepositoryTarget[] = [
  {
    name: 'SQLite file',
    open: () => openOn('sqlite', (url) => ({ make: () => repositoryOf(url) })),
  },
  { name: 'SQLite in memory', open: openInMemory },
  {
    name: 'PostgreSQL',
    open: () => openOn('postgres', (url) => ({ make: () => repositoryOf(url) })),
  },
  {
    name: 'PostgreSQL, a schema other than public',
    open: () =>
      openOn(
        'postgres',
        (url) => ({
          make: () => postgres({ connectionString: url, schema: 'Tenant "Users"' }),
        }),
        openEmptyDatabase,
      ),
  },
  {
    name: "PostgreSQL, the host's pool",
    open: () =>
      openOn('postgres', (url) => {
        const pool = new Pool({ connectionString: url })
        return {
          make: () => postgres({ pool, preparedStatements: false }),
          close: () => pool.end(),
        }
      }),
  },
  {
    name: 'PostgreSQL, behind a pooler in transaction mode',
    open: () =>
      openOn('postgres', async (url) => {
        const pooler = new TransactionPooler(url, 4)
        const connectionString = `${await pooler.open()}?prepared_statements=false`
        return { make: () => postgres({ connectionString }), close: () => pooler.close() }
      }),
  },
  ...kyselyTargets.map(({ name, open }) => ({ name, open: () => openKysely(open) })),
]

/** Each database as most open it, and one through the host's own Kysely */
const usual = ['SQLite file', 'PostgreSQL', 'Kysely on node:sqlite']

/** Those that are tried now; `.ci/run` tries every one. Loop over it with `describe.each(repositoryTargets)`. */
export const repositoryTargets = everyTarget.filter(
  ({ name }) => runsEveryTest || usual.includes(name),
)

interface Connection {
  make: () => Repository
  close?: () => Promise<void>
}

async function openOn(
  name: TestDatabase['name'],
  connect: (url: string) => Connection | Promise<Connection>,
  openAs = openForTarget,
): Promise<OpenRepository> {
  const database = await openAs(name)
  const { make, close } = await connect(database.url)
  const opened: Repository[] = []
  const open = () => {
    const repository = make()
    opened.push(repository)
    return repository
  }
  const repository = open()
  await repository.storage.migrate()
  return {
    repository,
    openAnother: open,
    close: async () => {
      for (const each of opened) await each.storage.close()
      await close?.()
      await database.close()
    },
  }
}

async function openInMemory(): Promise<OpenRepository> {
  const repository = sqlite({ filename: ':memory:' })
  await repository.storage.migrate()
  return { repository, close: () => repository.storage.close() }
}

async function openKysely(open: () => Promise<OpenKysely>): Promise<OpenRepository> {
  const opened = await open()
  const repository = opened.open()
  await repository.storage.migrate()
  return { repository, openAnother: opened.open, close: opened.close }
}
