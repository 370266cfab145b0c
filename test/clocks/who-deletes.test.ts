import { setImmediate as turn } from 'node:timers/promises'
import { type Clientele, createClientele } from '@clientele/core'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openClientele as openServer } from '../../packages/cli/src/server/open-clientele.ts'
import { readSettings } from '../../packages/cli/src/server/settings/read-settings.ts'
import { openClientele as openCommand } from '../../packages/cli/src/with-clientele.ts'
import { LogRecorder } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { holdTimers } from '../support/hold-timers.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

const day = 24 * 3600_000
const secret = 'a secret for tests that is long enough'

describe.each(databases)('events of 200 days ago on $name', ({ open }) => {
  let database: OpenDatabase
  let accountId: string

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    accountId = await addAccount(() => Date.now() - 200 * day)
    // Where no event is of today, a process doubts its clock.
    await addAccount(Date.now)
  })

  async function addAccount(clock: () => number): Promise<string> {
    const repository = repositoryOf(database.url)
    const options = { repository, secrets: [secret], clock, logger: new LogRecorder() }
    const program = await createClientele(options)
    const { id } = await program.accounts.create({ name: 'Acme' })
    const credentials = { email: 'ada@example.com', password: 'correct horse' }
    await program.users.create(id, { name: 'Ada', ...credentials })
    await program.events.read(id)
    await program.close()
    return id
  }

  const countEvents = async () => {
    const text = `select id from clientele_events where account_id = '${accountId}'`
    return ((await runSql(database.url, text)) as unknown[]).length
  }

  /** Lets a program live for as long as it takes to sweep all accounts. */
  async function runLong(openProgram: () => Promise<Clientele>): Promise<void> {
    const { pass } = holdTimers()
    const program = await openProgram()
    pass(11_000)
    const until = Date.now() + 500
    while (Date.now() < until && (await countEvents()) > 0) await turn()
    await program.close()
  }

  const serve = (settings: Record<string, string>) => async () => {
    const logger = pino({ level: 'silent' })
    const environment = { DATABASE_URL: database.url, CLIENTELE_SECRET: secret, ...settings }
    const more = { sendMail: undefined, observers: [] }
    return openServer(await readSettings(environment), logger, more)
  }

  test('stay while a command runs, which does not know how long they are kept', async () => {
    await runLong(async () => openCommand(repositoryOf(database.url), 'change'))
    expect(await countEvents()).toBe(1)
  })

  test('stay in a server that keeps them longer', async () => {
    await runLong(serve({ EVENT_RETENTION_DAYS: '400' }))
    expect(await countEvents()).toBe(1)
  })

  test('are deleted by a server', async () => {
    await runLong(serve({}))
    expect(await countEvents()).toBe(0)
  })
})
