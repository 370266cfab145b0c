import type { Repository } from '@clientele/core'
import type { Settings } from '../server/settings/setting-table.ts'
import type { Finding } from './finding.ts'
import { examine } from './finding.ts'

const pings = 11
/** A slower database makes each request slow, in milliseconds */
const slowMs = 20
/** As the server tolerates it, in milliseconds */
const toleratedMs = 1_000
/** Deliveries that are due for longer are late, in milliseconds */
const lateMs = 60_000

export const notExamined = 'not examined: the database does not answer'

/** Looks at an open database: how fast it answers, its schema, its clock, and the webhooks that are due. */
export async function examineDatabase(
  repository: Repository,
  settings: Settings | undefined,
): Promise<Finding[]> {
  const database = await examine('database', 'is it running, and is DATABASE_URL right?', () =>
    measure(repository),
  )
  if (database.message.startsWith('There is no such database'))
    database.advice = 'CREATE DATABASE, or correct the name in DATABASE_URL'
  // One reason is said once.
  if (database.status === 'failed')
    return [
      database,
      ...['migrations', 'clock', 'webhooks'].map((check): Finding => {
        return { check, status: 'warning', message: notExamined }
      }),
    ]
  const findings = [
    database,
    await examine('migrations', 'clientele migrate', () =>
      compareSchema(repository, settings?.migrates),
    ),
    await examine('clock', 'is the database reachable?', () =>
      compareClocks(repository, settings?.followsDatabaseClock),
    ),
  ]
  const isUsable = findings.every(({ check, status }) => check !== 'migrations' || status === 'ok')
  if (isUsable)
    findings.push(
      await examine('webhooks', 'is the database reachable?', () => findLate(repository)),
    )
  return findings
}

async function measure({ storage }: Repository) {
  const times: number[] = []
  for (let turn = 0; turn < pings; turn++) {
    const startedAt = performance.now()
    await storage.ping()
    times.push(performance.now() - startedAt)
  }
  const median = times.sort((a, b) => a - b)[(pings - 1) / 2] ?? 0
  const name = storage.system === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const message = `${name} answers in ${median.toFixed(1)} ms`
  if (median <= slowMs) return { status: 'ok' as const, message }
  const advice = 'bring the server nearer to the database; a SQLite file belongs on a local disk'
  return { status: 'warning' as const, message, advice }
}

async function compareSchema({ storage }: Repository, migrates = true) {
  const missing = await storage.missingMigrations()
  if (missing.length === 0) return { status: 'ok' as const, message: 'the schema is up to date' }
  const message = `the schema lacks ${missing.join(', ')}`
  if (!migrates) return { status: 'failed' as const, message, advice: 'clientele migrate' }
  const advice = 'the server brings it up to date when it starts, or clientele migrate'
  return { status: 'warning' as const, message, advice }
}

async function compareClocks({ storage }: Repository, followsDatabase = true) {
  if (storage.readTime === undefined || !followsDatabase)
    return { status: 'ok' as const, message: 'the server uses the clock of this machine' }
  const startedAt = Date.now()
  const time = await storage.readTime()
  const aheadMs = (startedAt + Date.now()) / 2 - time
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const message = `this machine's clock is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the database`
  if (Math.abs(aheadMs) <= toleratedMs) return { status: 'ok' as const, message }
  return { status: 'warning' as const, message, advice: 'synchronise the clocks (NTP)' }
}

const causeInLog =
  "the server's log has the cause of each attempt without an answer (LOG_LEVEL=info)"

async function findLate({ webhooks, storage }: Repository) {
  const now = (await storage.readTime?.()) ?? Date.now()
  const since = await webhooks.findDueSince(now)
  const dueMs = since === null ? 0 : now - since
  const failing = await webhooks.countFailing()
  if (dueMs <= lateMs && failing.since !== null) {
    const time = new Date(failing.since).toISOString()
    const message = `${failing.count} of the endpoints fail, the first since ${time}`
    const advice = `clientele webhook attempts; ${causeInLog}`
    return { status: 'warning' as const, message, advice }
  }
  if (dueMs <= lateMs) return { status: 'ok' as const, message: 'no delivery is late or fails' }
  const message = `the oldest delivery has been due for ${Math.round(dueMs / 1000)} s`
  const advice = `run a server with DELIVER_WEBHOOKS=true; ${causeInLog}`
  return { status: 'warning' as const, message, advice }
}
