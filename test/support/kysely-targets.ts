import type { Repository } from '@clientele/core'
import { kysely } from '@clientele/core/kysely'
import type { Kysely } from 'kysely'
import { test } from 'vitest'
import { openEmptyDatabase, openForTarget } from './databases.ts'
import {
  openLibsqlKysely,
  openNodeSqliteKysely,
  openPgKysely,
  openPgliteKysely,
} from './kysely-dialects.ts'
import { runsEveryTest } from './slow-tests.ts'

export interface OpenKysely {
  db: Kysely<unknown>
  /** Makes a repository on it, which is still to be migrated. */
  open(): Repository
  /** Destroys the instance, and removes the database. */
  close(): Promise<void>
}

/** A driver that is not ours, behind a host's Kysely. */
export interface KyselyTarget {
  name: string
  dialect: 'postgres' | 'sqlite'
  open(): Promise<OpenKysely>
}

/** Every driver behind Kysely that is tried */
const everyTarget: readonly KyselyTarget[] = [
  {
    name: 'Kysely on pg',
    dialect: 'postgres',
    open: () => openOn('postgres', (url) => openPgKysely(url)),
  },
  {
    name: 'Kysely on pg, in a schema',
    dialect: 'postgres',
    open: () => openOn('postgres', (url) => openPgKysely(url), 'Tenant "Users"'),
  },
  {
    name: 'Kysely on node:sqlite',
    dialect: 'sqlite',
    open: () => openOn('sqlite', (url) => openNodeSqliteKysely(toFile(url))),
  },
  { name: 'Kysely on PGlite', dialect: 'postgres', open: openPglite },
  {
    name: 'Kysely on libSQL',
    dialect: 'sqlite',
    open: () => openOn('sqlite', (url) => openLibsqlKysely(toFile(url))),
  },
]

/** They are in the process, or share the server that runs anyway. The others take a minute more. */
const quick = ['Kysely on pg', 'Kysely on node:sqlite']

/** Those that are tried now; `.ci/run` tries every one. */
export const kyselyTargets = everyTarget.filter(({ name }) => runsEveryTest || quick.includes(name))

/** Says in the list of tests what is left out, and why. */
export function describeLeftOutTargets(): void {
  const rest = everyTarget.filter((target) => !kyselyTargets.includes(target))
  for (const { name } of rest)
    test.skip(`${name} (skipped without EVERY_TEST=true, which .ci/run sets: it takes long)`, () => {})
}

async function openOn(
  name: 'postgres' | 'sqlite',
  connect: (url: string) => Kysely<unknown>,
  schema?: string,
): Promise<OpenKysely> {
  const database = await (schema === undefined ? openForTarget : openEmptyDatabase)(name)
  const db = connect(database.url)
  return {
    db,
    open: () =>
      kysely(
        db,
        name === 'postgres' && schema !== undefined ? { dialect: name, schema } : { dialect: name },
      ),
    close: async () => {
      await db.destroy()
      await database.close()
    },
  }
}

async function openPglite(): Promise<OpenKysely> {
  const db = openPgliteKysely()
  return { db, open: () => kysely(db, { dialect: 'postgres' }), close: () => db.destroy() }
}

function toFile(url: string): string {
  return url.slice('sqlite:'.length)
}
