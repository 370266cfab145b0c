import type { AccountReader } from '../driver.ts'
import { toJsonStatement, toRows } from '../rows-as-json.ts'
import type { Statement } from '../statement.ts'
import { AccountPlaces, type Place } from './account-places.ts'
import type { PostgresDriver } from './driver.ts'
import { causeOf, describeFault, isConnectionFault, stateOf } from './faults.ts'

/** How long the coordinator answers for a server that has failed, in milliseconds */
const pauseMs = 5_000
const timedOut = '57014'
const undefinedTable = '42P01'
/** The class of faults that the input of one read causes */
const ofInput = '22'

export type OpenNode = (host: string, port: number) => PostgresDriver

/** Lets each server of a Citus cluster answer the frequent reads of the accounts that it has. */
export function addDirectReads(coordinator: PostgresDriver, open: OpenNode): void {
  coordinator.directReads = new DirectReads(coordinator, open)
}

interface Node {
  driver: PostgresDriver
  /** On the clock of `performance` */
  pausedUntil: number
  wasWarned: boolean
}

/**
 * Reads of one account on the tables of the server that has it: neither the coordinator nor Citus plans them. In the same
 * statement the server says whether it has the account. Otherwise, and if it fails, the coordinator answers.
 */
class DirectReads implements AccountReader {
  readonly #coordinator: PostgresDriver
  readonly #open: OpenNode
  readonly #places: AccountPlaces
  readonly #nodes = new Map<string, Node>()
  #isClosed = false
  readonly #texts = new WeakMap<object, Map<number, { place: Place; sql: string }>>()

  constructor(coordinator: PostgresDriver, open: OpenNode) {
    this.#coordinator = coordinator
    this.#open = open
    this.#places = new AccountPlaces(coordinator)
  }

  async read<Input extends { accountId: string }, Row>(
    statement: Statement<Input, Row>,
    input: Input,
  ): Promise<Row[] | undefined> {
    const { accountId } = input
    const place = await this.#places.find(accountId)
    if (place === undefined) return undefined
    const node = this.#nodeOf(place)
    const startedAt = performance.now()
    if (startedAt < node.pausedUntil) return undefined
    const step = {
      sql: this.#toText(statement, place),
      parameters: statement.bind(input),
      accountId,
    }
    try {
      const [answer] = (await node.driver.query(step)) as [{ rows: string | null }] // what it selects
      node.wasWarned = false
      if (answer.rows !== null) return toRows(answer.rows, toJsonStatement(statement).columns)
      this.#places.leave(place)
    } catch (error) {
      if (this.#isClosed) throw error
      const cause = causeOf(error)
      const state = stateOf(cause)
      // The coordinator would need as long, or is this server.
      if (state === timedOut || (place.group === 0 && isConnectionFault(cause))) throw error
      if (state === undefinedTable) this.#places.leave(place)
      // Where all its connections are in use, this read alone goes to the coordinator.
      else if (
        state?.startsWith(ofInput) !== true &&
        !(isConnectionFault(cause) && node.driver.hasAnsweredSince(startedAt))
      )
        this.#turnAway(place, node, error)
    }
    return undefined
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const others = [...this.#nodes.values()].filter(({ driver }) => driver !== this.#coordinator)
    await Promise.all(others.map(({ driver }) => driver.close()))
  }

  #nodeOf({ group, host, port }: Place): Node {
    const name = group === 0 ? '' : `${host}:${port}`
    let node = this.#nodes.get(name)
    if (node === undefined) {
      const driver = group === 0 ? this.#coordinator : this.#open(host, port)
      node = { driver, pausedUntil: 0, wasWarned: false }
      this.#nodes.set(name, node)
    }
    return node
  }

  #toText(statement: Statement<never, unknown>, place: Place): string {
    let texts = this.#texts.get(statement)
    if (texts === undefined) {
      texts = new Map()
      this.#texts.set(statement, texts)
    }
    let known = texts.get(place.shard)
    if (known?.place !== place) {
      known = { place, sql: toText(toJsonStatement(statement).text, place) }
      texts.set(place.shard, known)
    }
    return known.sql
  }

  #turnAway(place: Place, node: Node, error: unknown): void {
    node.pausedUntil = performance.now() + pauseMs
    // Its address may have changed.
    this.#places.leave(place)
    if (node.wasWarned) return
    node.wasWarned = true
    process.emitWarning(
      `The server ${place.host}:${place.port} of the cluster does not answer reads, and the coordinator reads in its place: ${describeFault(error)}`,
      { code: 'CLIENTELE_DIRECT_READS' },
    )
  }
}

/** The statement on the tables of a shard. It answers with null on a server that does not have the shard, or not any more. */
function toText(text: string, { shard, tables }: Place): string {
  const rows = text.replaceAll(
    /\{(clientele_\w+)\}/g,
    (braces, table: string) => tables[table] ?? braces,
  )
  return `select case when exists (
      select from pg_catalog.pg_dist_placement p
      where p.shardid = ${shard} and p.groupid = (select l.groupid from pg_catalog.pg_dist_local_group l)
    ) then (${rows}) end as "rows"`
}
