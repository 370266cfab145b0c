import { setTimeout as sleep } from 'node:timers/promises'
import type { StatementRunner } from '../driver.ts'
import type { CompiledQuery } from '../statement.ts'
import type { PostgresDriver } from './driver.ts'
import { causeOf, describeFault, isConnectionFault, stateOf } from './faults.ts'
import { createScanLimit } from './scan-limit.ts'

/** How long a read waits for the replica to replay what was written before, in milliseconds; then the primary answers */
const maxLagMs = 100
/** The first pause between two questions to a replica that is behind, in milliseconds; each further one is twice as long */
const firstPauseMs = 4
/** How long the primary answers, in milliseconds: after the replica was behind, after it failed, if it is none of ours */
const pauses = { behind: 1_000, failed: 5_000, switched: 5_000, foreign: 60_000 }
type Reason = keyof typeof pauses
const sentences = {
  behind: 'The read replica does not follow the primary closely enough, and the primary answers.',
  foreign:
    'The read replica is not used: it is no replica of the primary, or its URL names another database or schema.',
  switched:
    "The read replica is not used until it has written a restartpoint of the primary's timeline, some minutes after a failover.",
}
/** How often in a row a replica is behind until a warning says so */
const maxMisses = 3

const selectPosition = `select position::text, ('x' || substr(pg_walfile_name(position), 1, 8))::bit(32)::int as "timeline"
  from pg_current_wal_insert_lsn() as position`
/**
 * Positions of two timelines cannot be compared: after a failover a standby may be ahead of the new primary and lack its
 * rows. A standby has the new timeline after its next restartpoint, some minutes later.
 */
const hasReplayed = `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn
  and (select timeline_id from pg_control_checkpoint()) = $2 as "holds"`
/** The SQLSTATE of a statement that took too long */
const timedOut = '57014'
/** What a replica has in common with its primary */
const selectPlace = `select pg_is_in_recovery() as "isReplica",
  (select timeline_id from pg_control_checkpoint()) as "timeline",
  concat_ws(' ', system_identifier, current_database(), current_schemas(false)) as "place" from pg_control_system()`

/** Lets a replica answer lists, exports and the feed of a primary. */
export function addReplica(primary: PostgresDriver, replica: PostgresDriver): void {
  primary.reads = new ReplicaReads(primary, replica)
}

/**
 * Reads of lists, exports and the feed, on a replica (a hot standby). A read asks the primary for its position in the
 * write-ahead log, and the replica answers once it has replayed the log up to there: a caller sees every write that
 * was acknowledged before, by whichever process. The primary answers if the replica is too far behind or fails.
 */
class ReplicaReads implements StatementRunner {
  readonly #primary: PostgresDriver
  readonly #replica: PostgresDriver
  readonly #scans = createScanLimit()
  /** What the replica is to this primary; undefined before it was asked */
  #relation: Promise<'replica' | 'foreign' | 'switched'> | undefined
  /** The primary's when they were compared */
  #timeline: number | undefined
  /** The position that the reads of this turn wait for */
  #position: Promise<Position> | undefined
  /** On the clock of `performance` */
  #pausedUntil = 0
  /** How often in a row the replica was behind */
  #misses = 0
  /** What a warning has said since the replica answered last */
  readonly #warned = new Set<Reason>()

  constructor(primary: PostgresDriver, replica: PostgresDriver) {
    this.#primary = primary
    this.#replica = replica
  }

  get features() {
    return this.#primary.features
  }

  get dialect() {
    return this.#primary.dialect
  }

  get schema() {
    return this.#primary.schema
  }

  async query(step: CompiledQuery): Promise<unknown[]> {
    return (await this.#readThere(step)) ?? this.#primary.query(step)
  }

  async scan(accountId: string, step: CompiledQuery): Promise<unknown[]> {
    const rows = await this.#scans.run(accountId, () => this.#readThere(step))
    return rows ?? this.#primary.scan(accountId, step)
  }

  transact: StatementRunner['transact'] = (work, options) => this.#primary.transact(work, options)

  migrationLock(): CompiledQuery[] {
    return this.#primary.migrationLock()
  }

  close(): Promise<void> {
    return this.#replica.close()
  }

  /** What the replica answers; undefined if it cannot be asked now. */
  async #readThere(step: CompiledQuery): Promise<unknown[] | undefined> {
    const startedAt = performance.now()
    if (startedAt < this.#pausedUntil) return undefined
    const position = await this.#findPosition()
    if (position === undefined) return undefined
    try {
      // After a failover the replica follows another log.
      if (position.timeline !== this.#timeline) this.#relation = undefined
      this.#timeline = position.timeline
      this.#relation ??= this.#compare(position)
      const relation = await this.#relation
      if (relation === 'replica') return await this.#readFrom(position, step)
      this.#turnAway(relation, sentences[relation])
    } catch (error) {
      // The primary would need as long.
      if (stateOf(causeOf(error)) === timedOut) throw error
      // All its connections are in use: this read alone goes to the primary.
      if (isConnectionFault(causeOf(error)) && this.#replica.hasAnsweredSince(startedAt))
        return undefined
      this.#turnAway(
        'failed',
        `The read replica failed, and the primary answers: ${describeFault(error)}`,
      )
    }
    return undefined
  }

  async #readFrom({ position, timeline }: Position, step: CompiledQuery) {
    const check = { sql: hasReplayed, parameters: [position, timeline] }
    const end = performance.now() + maxLagMs
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const rows = await this.#replica.queryIf(check, step)
      if (rows !== undefined) {
        this.#misses = 0
        this.#warned.clear()
        return rows
      }
      if (performance.now() + pauseMs > end) break
      await sleep(pauseMs)
    }
    // Reads that waited at the same time are one miss.
    if (performance.now() < this.#pausedUntil) return undefined
    if (++this.#misses < maxMisses) this.#pausedUntil = performance.now() + pauses.behind
    else this.#turnAway('behind', sentences.behind)
    return undefined
  }

  /** The primary's position; undefined if it cannot say it. Throws when it cannot be reached. */
  async #findPosition(): Promise<Position | undefined> {
    try {
      return await this.#readPosition()
    } catch (error) {
      if (isConnectionFault(causeOf(error))) throw error
      this.#turnAway(
        'failed',
        `The read replica is not used, as the primary does not say where its log ends: ${describeFault(error)}`,
      )
      return undefined
    }
  }

  /** Reads that begin in one turn share a question. It is sent after they began. */
  #readPosition(): Promise<Position> {
    this.#position ??= Promise.resolve().then(async () => {
      this.#position = undefined
      const rows = await this.#primary.query({ sql: selectPosition, parameters: [] })
      const [position] = rows as [Position] // one row, see above
      return position
    })
    return this.#position
  }

  async #compare({ timeline }: Position): Promise<'replica' | 'foreign' | 'switched'> {
    const [ours, theirs] = await Promise.all([readPlace(this.#primary), readPlace(this.#replica)])
    if (!theirs.isReplica || theirs.place !== ours.place) return 'foreign'
    return theirs.timeline === timeline ? 'replica' : 'switched'
  }

  /** The replica is compared again after the pause: the servers may have changed their parts. */
  #turnAway(reason: Reason, warning: string): void {
    this.#pausedUntil = performance.now() + pauses[reason]
    this.#relation = undefined
    if (!this.#warned.has(reason)) process.emitWarning(warning, { code: 'CLIENTELE_READ_REPLICA' })
    this.#warned.add(reason)
  }
}

/** Of the primary, in its write-ahead log */
interface Position {
  position: string
  timeline: number
}

interface Place {
  isReplica: boolean
  place: string
  /** Of the last checkpoint or restartpoint */
  timeline: number
}

async function readPlace(driver: PostgresDriver): Promise<Place> {
  const rows = await driver.query({ sql: selectPlace, parameters: [] })
  const [place] = rows as [Place] // one row, see above
  return place
}
