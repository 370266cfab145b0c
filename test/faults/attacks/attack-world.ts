import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import type { OpenDatabase, TestDatabase } from '../../support/databases.ts'
import { insertEvents, insertUsers, runSql } from '../../support/run-sql.ts'
import { cliScript, type RunningProcess, startProcess } from '../../support/start-process.ts'
import type { Attack, Target } from './attack.ts'
import { OtherAccount } from './other-account.ts'

const secret = 'a secret of the tests that is long enough'
const credentials = { email: 'ada@example.com', password: 'password' }
/** PBKDF2 with SHA-512, the dearest that may be imported: about 250 ms. */
const dearHash =
  '$pbkdf2-sha512$i=250000$c2FsdHNhbHRzYWx0c2FsdA$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'
const bytesOfKibibyte = 1024

export interface Sizes {
  /** Of the account that attacks */
  users: number
  events: number
  /** Whose imported hashes are dear */
  dearUsers: number
}

/** What an attack was answered with: how often each status came, and how many connections broke. */
export type Answers = Record<string, number>

/** A packed server with an account that attacks, or is attacked through, and another one. */
export class AttackWorld {
  readonly other: OtherAccount
  readonly #target: Target
  readonly #server: RunningProcess
  readonly #database: OpenDatabase

  private constructor(target: Target, server: RunningProcess, database: OpenDatabase, key: string) {
    this.#target = target
    this.#server = server
    this.#database = database
    this.other = new OtherAccount(target.base, key, () => readDelay(server.child.pid))
  }

  static async open({ open }: TestDatabase, sizes: Sizes): Promise<AttackWorld> {
    const database = await open()
    const { attacker, otherKey } = await addAccounts(database.url, sizes)
    const server = startProcess(cliScript, [], {
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: secret,
      PORT: '0',
      // Attackers have endpoints on this machine.
      ALLOW_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'error',
    })
    const [, base = ''] = await server.waitFor(/^Listening on (\S+)$/m)
    const token = await new OtherAccount(base, attacker.key).signIn(credentials)
    const target = { base, token, dearUsers: sizes.dearUsers, ...attacker }
    const world = new AttackWorld(target, server, database, otherKey)
    await world.other.signIn(credentials)
    return world
  }

  /** Attacks while something is done, and answers with what the attack was answered with. */
  async attack({ name }: Attack, meanwhile: () => Promise<void>): Promise<Answers> {
    const script = join(import.meta.dirname, 'attacker.ts')
    const child = fork(script, [name, JSON.stringify(this.#target)])
    const ended = once(child, 'exit')
    const hear = async (): Promise<unknown> => {
      const [message] = await Promise.race([
        once(child, 'message'),
        ended.then(() => Promise.reject(new Error('The attacker has ended.'))),
      ])
      return message
    }
    try {
      await hear()
      await meanwhile()
      const answers = hear()
      child.send('end')
      return (await answers) as Answers // what attacker.ts sends last
    } finally {
      child.kill()
      await ended
    }
  }

  /** The most memory that the server has held since it started, in MiB; undefined where the system does not say. */
  get peakMebibytes(): number | undefined {
    if (process.platform !== 'linux') return undefined
    const status = readFileSync(`/proc/${this.#server.child.pid}/status`, 'utf8')
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
    return kibibytes === undefined ? undefined : Math.round(Number(kibibytes) / bytesOfKibibyte)
  }

  /** What the server has said of its faults */
  get errors(): string {
    return this.#server.errors()
  }

  async close(): Promise<void> {
    this.other.close()
    this.#server.child.kill('SIGKILL')
    await this.#server.ended
    await this.#database.close()
  }
}

/** For how long the server's event loop, and ours, waited for a processor, in milliseconds; 0 where the system does not say. */
function readDelay(pid: number | undefined): number {
  const files = [`/proc/${pid}/task/${pid}/schedstat`, '/proc/thread-self/schedstat']
  if (!files.every((file) => existsSync(file))) return 0
  const nanoseconds = files.map((file) => Number(readFileSync(file, 'utf8').split(' ')[1]))
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000_000
}

async function addAccounts(url: string, { users, events, dearUsers }: Sizes) {
  const repository = await openRepository(url)
  const clientele = await createClientele({ repository, secrets: [secret] })
  const add = async (name: string) => {
    const { id: accountId } = await clientele.accounts.create({ name })
    const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials })
    return {
      accountId,
      key: (await clientele.apiKeys.create(accountId)).apiKey,
      scimKey: (await clientele.apiKeys.create(accountId, { scopes: ['scim'] })).apiKey,
      userId: user.id,
    }
  }
  const attacker = await add('Attacker')
  const { key: otherKey } = await add('Other')
  async function* readDearUsers() {
    for (let line = 1; line <= dearUsers; line++)
      yield {
        line,
        value: { name: 'Dear', email: `dear${line}@example.com`, passwordHash: dearHash },
      }
  }
  await clientele.users.import(attacker.accountId, readDearUsers())
  await insertUsers(url, attacker.accountId, users)
  await repository.users.recount(attacker.accountId)
  await clientele.close()
  const ago = Date.now() - 2 * events
  await insertEvents(url, attacker.accountId, ago, events)
  // The first half is the history of one person.
  await runSql(
    url,
    `update clientele_events set subject_type = 'user', subject_id = '${attacker.userId}'
     where account_id = '${attacker.accountId}' and created_at < ${ago + events / 2}`,
    `delete from clientele_event_feeds where account_id = '${attacker.accountId}'`,
    `insert into clientele_event_feeds (account_id, last_position, purged_position)
     values ('${attacker.accountId}', ${events}, 0)`,
  )
  return { attacker, otherKey }
}
