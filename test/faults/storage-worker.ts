// A process of its own that works on a database: node storage-worker.ts migrate|write|lock <url>
// It says what it has done on standard output, a line each.

import { createInterface } from 'node:readline'
import Sqlite from 'better-sqlite3'
import { changesTo, newAccount, newSession, newUser } from '../repository/world.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { someEvent } from '../support/some-event.ts'

const [task, url = ''] = process.argv.slice(2)
const tasks: Record<string, () => Promise<void>> = { migrate, write, lock }
await tasks[task ?? '']?.()

async function migrate(): Promise<void> {
  const repository = repositoryOf(url)
  console.log(JSON.stringify(await repository.storage.migrate()))
  await repository.storage.close()
}

/** Writes until it is killed, eight at once; a line is an acknowledged user with its session, replaced once. */
async function write(): Promise<void> {
  const repository = repositoryOf(url)
  const accountId = await newAccount(repository)
  console.log(JSON.stringify({ accountId }))
  const writeOn = async (): Promise<never> => {
    for (;;) {
      const user = newUser()
      const session = newSession(user.id)
      await repository.users.create(accountId, user, someEvent(accountId))
      await repository.sessions.create(accountId, session, user.passwordHash, someEvent(accountId))
      await repository.users.replace(
        accountId,
        user.id,
        changesTo(user, { roles: ['kept'] }),
        null,
        someEvent(accountId),
      )
      console.log(JSON.stringify({ userId: user.id, sessionId: session.id }))
    }
  }
  await Promise.all(Array.from({ length: 8 }, writeOn))
}

/** Holds the file until a line arrives on standard input. */
async function lock(): Promise<void> {
  const database = new Sqlite(url.slice('sqlite:'.length))
  database.exec('begin exclusive')
  console.log('locked')
  for await (const _line of createInterface({ input: process.stdin })) break
  database.exec('rollback')
  database.close()
  console.log('unlocked')
}
