import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchableClient } from './pool.ts'
import { destroy, type ProbeClient, type ProbeResult, probeServer } from './probe.ts'

/** After this wait a request is suspicious and the server is probed. All times here are in milliseconds. */
const suspectAfterMs = 1000
const lookEveryMs = 250
/** If no connection, new or old, gets an answer for this long, the network swallows the packets. */
const silentAfterMs = 2000
const connectEveryMs = 500
/** An answer that is under way may take this long to arrive. */
const graceMs = 200
/** Pause after a successful probe before slow statements are probed again. */
const quietMs = 1000

/** A wait for a connection, or for the answer to a statement. */
interface Wait {
  since: number
  client: WatchableClient | undefined
  /** Its place among the waits; -1 once it has ended */
  place: number
}

interface Watched {
  /** When it began to connect; undefined once it is connected */
  connectingSince: number | undefined
  /** Since when it is idle; undefined while it is in use */
  idleSince: number | undefined
}

interface WatchedClient extends WatchableClient {
  once(event: 'end', listener: () => void): unknown
}

/** Why a connection was destroyed: it, or others of its age, had stopped answering. */
export class ConnectionSwallowed extends Error {
  override readonly name = 'ConnectionSwallowed'
}

/**
 * Finds the connections that a network has swallowed and destroys them together. A dead connection and one with a slow
 * statement are equally silent. So the watch opens a new connection and asks the server which statements it is working
 * on.
 */
export class PostgresWatch {
  readonly #openProbe: (() => ProbeClient) | undefined
  readonly #onSilent: () => void
  /**
   * In no order. A set would be made anew every few statements, and V8 links its old tables to the new ones: what they hold
   * would live until the old generation is collected.
   */
  readonly #waits: Wait[] = []
  readonly #clients = new Map<WatchableClient, Watched>()
  #answeredAt = Number.NEGATIVE_INFINITY
  #quietUntil = Number.NEGATIVE_INFINITY
  #isSilent = false
  #isLooking = false
  #timer: NodeJS.Timeout | undefined

  /**
   * @param openProbe makes a connection like those of the pool, outside of it
   * @param onSilent called when the server does not answer
   */
  constructor(openProbe: (() => ProbeClient) | undefined, onSilent: () => void = () => {}) {
    this.#openProbe = openProbe
    this.#onSilent = onSilent
  }

  /** Whether the last probe found that the server does not answer. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  hasAnsweredSince(time: number): boolean {
    return this.#answeredAt >= time
  }

  noteConnecting(client: WatchedClient): void {
    this.#find(client).connectingSince = performance.now()
  }

  noteConnected(client: WatchedClient): void {
    this.#find(client).connectingSince = undefined
    this.noteAnswer()
  }

  noteAcquired(client: WatchedClient): void {
    this.#find(client).idleSince = undefined
  }

  noteReleased(client: WatchedClient): void {
    this.#find(client).idleSince = performance.now()
  }

  noteAnswer(): void {
    this.#answeredAt = performance.now()
    this.#isSilent = false
  }

  begin(client?: WatchableClient): Wait {
    const wait = { since: performance.now(), client, place: this.#waits.length }
    this.#waits.push(wait)
    this.#arm()
    return wait
  }

  end(wait: Wait): void {
    const last = this.#waits.pop()
    if (last === undefined) return
    if (last !== wait) this.#waits[wait.place] = last
    last.place = wait.place
    wait.place = -1
  }

  /** Destroys the connections that have been idle since before that time. */
  cutIdle(before: number): void {
    for (const [client, { idleSince }] of this.#clients) {
      if (idleSince !== undefined && idleSince <= before) this.#cut(client)
    }
  }

  /** Destroys all connections. */
  cutAll(): void {
    for (const client of this.#clients.keys()) this.#cut(client)
  }

  #find(client: WatchedClient): Watched {
    let watched = this.#clients.get(client)
    if (watched === undefined) {
      watched = { connectingSince: undefined, idleSince: undefined }
      this.#clients.set(client, watched)
      client.once('end', () => this.#clients.delete(client))
    }
    return watched
  }

  #cut(client: WatchableClient): void {
    this.#clients.delete(client)
    destroy(client, new ConnectionSwallowed('The connection has stopped answering.'))
  }

  /** One timer for all waits, and none without a wait. */
  #arm(): void {
    if (this.#timer !== undefined || this.#waits.length === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#arm()
      if (this.#isSuspicious() && performance.now() >= this.#quietUntil) this.#look()
    }, lookEveryMs).unref()
  }

  #isSuspicious(): boolean {
    const since = performance.now() - suspectAfterMs
    return this.#waits.some((wait) => wait.since <= since)
  }

  #look(): void {
    const openProbe = this.#openProbe
    if (this.#isLooking || openProbe === undefined) return
    this.#isLooking = true
    this.#check(openProbe).finally(() => {
      this.#isLooking = false
    })
  }

  async #check(openProbe: () => ProbeClient): Promise<void> {
    const startedAt = performance.now()
    const result = await this.#probe(openProbe)
    if (result !== undefined) {
      this.noteAnswer()
      this.#quietUntil = performance.now() + quietMs
      await this.#cutSuspects(result)
      return
    }
    // Answers that arrived while this process was busy have not been read yet.
    await sleep(graceMs, undefined, { ref: false })
    if (this.#isSuspicious() && !this.hasAnsweredSince(startedAt)) this.#cutSilent()
  }

  /** Opens a connection every half second until one is answered or all have been silent for too long. */
  async #probe(openProbe: () => ProbeClient): Promise<ProbeResult | undefined> {
    const probes: ProbeClient[] = []
    const timers: NodeJS.Timeout[] = []
    try {
      return await new Promise((resolve) => {
        const begin = (): void => {
          if (!this.#isSuspicious()) {
            resolve(undefined)
            return
          }
          const probe = openProbe()
          probes.push(probe)
          // A failed probe proves nothing: the next may succeed.
          probeServer(probe, () => this.#suspects(performance.now())).then(resolve, () => {})
        }
        timers.push(setInterval(begin, connectEveryMs).unref())
        timers.push(setTimeout(resolve, silentAfterMs, undefined).unref())
        begin()
      })
    } finally {
      for (const timer of timers) clearTimeout(timer)
      for (const probe of probes) destroy(probe)
    }
  }

  #suspects(now: number): WatchableClient[] {
    return this.#waits.flatMap(({ since, client }) =>
      client !== undefined && now - since >= suspectAfterMs ? [client] : [],
    )
  }

  /**
   * The server answers. Destroys the connections whose statements it does not work on, and older ones that still
   * connect.
   */
  async #cutSuspects({ startedAt, isWorkingFor }: ProbeResult): Promise<void> {
    const lost = this.#waits.filter(
      ({ since, client }) =>
        client !== undefined &&
        startedAt - since >= suspectAfterMs &&
        isWorkingFor(client) === false,
    )
    await sleep(graceMs, undefined, { ref: false })
    for (const wait of lost) {
      if (wait.client === undefined || wait.place < 0) continue
      this.#cut(wait.client)
      this.cutIdle(wait.since)
    }
    for (const [client, { connectingSince }] of this.#clients) {
      if (connectingSince !== undefined && connectingSince < startedAt) this.#cut(client)
    }
  }

  #cutSilent(): void {
    this.#isSilent = true
    for (const { client } of this.#waits) if (client !== undefined) this.#cut(client)
    this.cutIdle(performance.now())
    this.#onSilent()
  }
}
