import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Repository } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newAccount, newReply, newUser } from '../repository/world.ts'
import { someEvent } from '../support/some-event.ts'
import { openRecorded } from '../support/statement-recorder.ts'

async function makeFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-group-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'users.sqlite')
}

async function openWorld(filename: string, repository: Repository) {
  onTestFinished(() => repository.storage.close())
  await repository.storage.migrate()
  const accountId = await newAccount(repository)
  // Another program's connection: it sees what was committed.
  const other = new Sqlite(filename)
  onTestFinished(() => void other.close())
  const read = (query: string) => other.prepare(query).pluck().all(accountId)
  return {
    other,
    create: (name: string, reply?: ReturnType<typeof newReply>) => {
      const event = { ...someEvent<'user.created'>(accountId), requestId: name }
      return repository.users.create(accountId, newUser({ name }), event, reply)
    },
    users: () => read('select name from clientele_users where account_id = ? order by id'),
    /** In the order in which they were written */
    events: () =>
      read('select request_id from clientele_events where account_id = ? order by rowid'),
    countUsers: async () => (await repository.users.list(accountId, { page: 1, limit: 1 })).total,
  }
}

/** What became of each: what it resolved with, or the code that it failed with. */
async function settle(calls: Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(calls)
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code,
  )
}

/** As if each reading of the clock came this number of milliseconds after the previous one. */
function letTimePass(milliseconds: number): void {
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += milliseconds
    return now
  })
  onTestFinished(() => clock.mockRestore())
}

const names = Array.from({ length: 20 }, (_, index) => `User ${index}`)

test('simultaneous writes share one commit, in the order of the calls', async () => {
  const filename = await makeFile()
  const recorded = openRecorded(`sqlite:${filename}`)
  onTestFinished(recorded.close)
  const { create, events } = await openWorld(filename, recorded.repository)
  await create('first')
  recorded.take()
  const answered: string[] = []
  letTimePass(0)
  await Promise.all(
    names.map(async (name) => {
      await create(name)
      answered.push(name)
    }),
  )
  const texts = recorded.take().map(({ sql }) => sql)
  expect(texts.filter((text) => /^(begin|commit)/.test(text))).toEqual([
    'begin immediate',
    'commit',
  ])
  expect(answered).toEqual(names)
  expect(events()).toEqual(['first', ...names])
})

test('writes that take long are committed in parts, in the order of the calls', async () => {
  const filename = await makeFile()
  const recorded = openRecorded(`sqlite:${filename}`)
  onTestFinished(recorded.close)
  const { create, events } = await openWorld(filename, recorded.repository)
  recorded.take()
  letTimePass(2)
  await Promise.all(names.map((name) => create(name)))
  const commits = recorded.take().filter(({ sql }) => sql === 'commit')
  expect(commits.length).toBeGreaterThan(1)
  expect(commits.length).toBeLessThan(names.length)
  expect(events()).toEqual(names)
})

test('accounts take turns: however many writes of one wait, the write of another comes second', async () => {
  const filename = await makeFile()
  const repository = sqlite({ filename })
  const one = await openWorld(filename, repository)
  const other = await newAccount(repository)
  const answered: string[] = []
  letTimePass(10)
  await Promise.all([
    ...names.map(async (name) => {
      await one.create(name)
      answered.push(name)
    }),
    repository.users
      .create(other, newUser({ name: 'Of another' }), someEvent<'user.created'>(other))
      .then(() => answered.push('of another')),
  ])
  const [first, ...rest] = names
  expect(answered).toEqual([first, 'of another', ...rest])
  expect(one.events()).toEqual(names)
})

test('a fault in the middle undoes its own write, and no other', async () => {
  const filename = await makeFile()
  const { create, users, events, countUsers, other } = await openWorld(
    filename,
    sqlite({ filename }),
  )
  // It comes after the user was written.
  other.exec(`create trigger fault before insert on clientele_events
    when exists (select 1 from clientele_users where name = 'Mallory')
    begin select raise(abort, 'fault'); end`)
  const reply = newReply()
  const outcomes = await settle([
    create('Ada', reply),
    create('Mallory'),
    create('Grace'),
    // The key has an answer already, which is found out when user and event are written.
    create('Ada again', reply),
    create('Joan'),
  ])
  expect(outcomes).toEqual([
    'created',
    'SQLITE_CONSTRAINT_TRIGGER',
    'created',
    'idempotency_in_progress',
    'created',
  ])
  expect(users()).toEqual(['Ada', 'Grace', 'Joan'])
  expect(events()).toEqual(['Ada', 'Grace', 'Joan'])
  expect(await countUsers()).toBe(3)
})

test('when SQLite rolls back the whole transaction, the other writes succeed nevertheless', async () => {
  const filename = await makeFile()
  const { create, users, other, events } = await openWorld(filename, sqlite({ filename }))
  // As it does by itself when the disk is full.
  other.exec(`create trigger fault before insert on clientele_events
    when exists (select 1 from clientele_users where name = 'Mallory')
    begin select raise(rollback, 'fault'); end`)
  const outcomes = await settle([create('Ada'), create('Mallory'), create('Grace')])
  expect(outcomes).toEqual(['created', 'SQLITE_CONSTRAINT_TRIGGER', 'created'])
  expect(users()).toEqual(['Ada', 'Grace'])
  expect(events()).toEqual(['Ada', 'Grace'])
})

test('a commit that the disk refuses: no write succeeds, and no read sees what was rolled back', async () => {
  const filename = await makeFile()
  const connection = new Sqlite(filename)
  onTestFinished(() => void connection.close())
  let refused = 0
  const { create, users, countUsers } = await openWorld(
    filename,
    sqlite({
      database: {
        name: filename,
        memory: false,
        open: true,
        get inTransaction() {
          return connection.inTransaction
        },
        pragma: (text) => connection.pragma(text),
        close: () => {},
        prepare: (text) => {
          const statement = connection.prepare(text)
          return {
            reader: statement.reader,
            readonly: statement.readonly,
            all: (...values) => statement.all(...values),
            run: (...values) => {
              if (text === 'commit' && refused-- > 0)
                throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
              return statement.run(...values)
            },
          }
        },
      },
    }),
  )
  refused = 1
  const writing = settle([create('Ada'), create('Grace')])
  const seen = new Set<number>()
  let isWriting = true
  const watching = (async () => {
    for (; isWriting; await turn()) seen.add(await countUsers())
  })()
  expect(await writing).toEqual(['storage_unavailable', 'storage_unavailable'])
  isWriting = false
  await watching
  expect(users()).toEqual([])
  expect(await settle([create('Ada'), create('Grace')])).toEqual(['created', 'created'])
  expect(users()).toEqual(['Ada', 'Grace'])
  expect([...seen]).toEqual([0])
})

test('writes wait while another process writes, and keep their order', async () => {
  const filename = await makeFile()
  const { create, events, other } = await openWorld(filename, sqlite({ filename }))
  other.exec('begin immediate')
  const before = settle(names.slice(0, 10).map((name) => create(name)))
  await new Promise((resolve) => setTimeout(resolve, 30))
  const later = settle(names.slice(10).map((name) => create(name)))
  other.exec('rollback')
  expect([...(await before), ...(await later)]).toEqual(names.map(() => 'created'))
  expect(events()).toEqual(names)
})

test('a write that has waited too long for another process fails; the others continue to wait', async () => {
  const filename = await makeFile()
  const repository = sqlite({ filename, lockTimeoutSeconds: 0.3 })
  const { create, users, other } = await openWorld(filename, repository)
  other.exec('begin immediate')
  const first = create('Ada')
  const second = first.catch(() => create('Grace'))
  await expect(first).rejects.toMatchObject({ code: 'storage_unavailable' })
  other.exec('rollback')
  expect(await second).toBe('created')
  expect(users()).toEqual(['Grace'])
})

test('waiting writes are committed before the file is closed', async () => {
  const filename = await makeFile()
  const repository = sqlite({ filename })
  const { create, users } = await openWorld(filename, repository)
  const writing = settle(names.map((name) => create(name)))
  await repository.storage.close()
  expect(await writing).toEqual(names.map(() => 'created'))
  expect(users()).toEqual(names)
})
