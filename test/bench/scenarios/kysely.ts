import { type Clientele, createClientele, type Repository } from '@clientele/core'
import { kysely } from '@clientele/core/kysely'
import {
  openLibsqlKysely,
  openNodeSqliteKysely,
  openPgKysely,
  openPgliteKysely,
} from '../../support/kysely-dialects.ts'
import { benchSecret, openRepository } from '../support/clientele.ts'
import { compare } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import type { Setting } from '../support/setting.ts'

const userCount = 1_000
const callers = 16

interface Prepared {
  clientele: Clientele
  accountId: string
  ids: string[]
  tokens: string[]
}

/** Drivers behind a host's Kysely beside our own driver for the same database, in process, 16 calls at once. */
export async function useKysely({ postgres, rounds, seconds }: Setting): Promise<void> {
  const newFile = () => newSqliteUrl().slice('sqlite:'.length)
  const onPostgres = { dialect: 'postgres' } as const
  const onSqlite = { dialect: 'sqlite' } as const
  const ourPostgres = async () => openRepository(await postgres.createDatabase())
  const ourSqlite = async () => openRepository(newSqliteUrl())
  type Open = () => Promise<Repository>
  const targets: Record<string, [ours: Open, theirs: Open]> = {
    pg: [
      ourPostgres,
      async () => kysely(openPgKysely(await postgres.createDatabase()), onPostgres),
    ],
    PGlite: [ourPostgres, async () => kysely(openPgliteKysely(), onPostgres)],
    'node:sqlite': [ourSqlite, async () => kysely(openNodeSqliteKysely(newFile()), onSqlite)],
    libSQL: [ourSqlite, async () => kysely(openLibsqlKysely(newFile()), onSqlite)],
  }
  for (const [name, [openOurs, openTheirs]] of Object.entries(targets)) {
    // One after the other: PGlite keeps the event loop for itself while it starts.
    const ours = await prepare(await openOurs())
    const theirs = await prepare(await openTheirs())
    for (const [work, call] of works) {
      const figures = await compare(
        {
          kysely: (duration) => callFor(duration, theirs, call),
          own: (duration) => callFor(duration, ours, call),
        },
        { rounds, seconds, warmupSeconds: 0.5 },
      )
      const [through, own] = [figures.kysely ?? [], figures.own ?? []]
      report(`${work} through Kysely on ${name}`, through, 'own driver', own, '/s', {})
    }
    await ours.clientele.close()
    await theirs.clientele.close()
  }
}

type Call = (prepared: Prepared, index: number) => Promise<unknown>

let created = 0

/** Hashes are as cheap as can be: what is measured is not how slow hashing is. */
const works: [name: string, call: Call][] = [
  [
    'create',
    ({ clientele, accountId }) =>
      clientele.users.create(accountId, {
        name: 'New',
        email: `new${++created}@example.com`,
        password: 'secret1',
      }),
  ],
  [
    'find',
    ({ clientele, accountId, ids }, index) =>
      clientele.users.find(accountId, ids[index % ids.length] ?? ''),
  ],
  ['list', ({ clientele, accountId }) => clientele.users.list(accountId, { limit: 10 })],
  [
    'validate',
    ({ clientele, accountId, tokens }, index) =>
      clientele.auth.validateToken(accountId, tokens[index % tokens.length] ?? ''),
  ],
]

async function prepare(repository: Repository): Promise<Prepared> {
  const clientele = await createClientele({
    repository,
    secrets: [benchSecret],
    passwords: { hashing: { memoryKiB: 8, passes: 1 } },
  })
  const { id: accountId } = await clientele.accounts.create({ name: 'Bench' })
  const ids: string[] = []
  const tokens: string[] = []
  for (let number = 1; number <= userCount; number++) {
    const credentials = { email: `user${number}@example.com`, password: 'secret1' }
    const { user } = await clientele.users.create(accountId, {
      name: `User ${number}`,
      ...credentials,
    })
    ids.push(user.id)
    if (number > 50) continue
    const signedIn = await clientele.auth.logIn(accountId, credentials)
    if ('token' in signedIn) tokens.push(signedIn.token)
  }
  return { clientele, accountId, ids, tokens }
}

/** Answers with how many calls a second were done. */
async function callFor(seconds: number, prepared: Prepared, call: Call): Promise<number> {
  const end = performance.now() + seconds * 1000
  let calls = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < end) await call(prepared, calls++)
  }
  await Promise.all(Array.from({ length: callers }, loop))
  return calls / seconds
}
