import { setTimeout as sleep } from 'node:timers/promises'
import { type AsideClient, destroy, lookAside, type Sighting } from './aside.ts'
import type { JudgedClient } from './pool.ts'

/** Whoever has waited so long looks whether anybody is there. All times here are in milliseconds. */
const suspectAfterMs = 1000
const lookEveryMs = 250
/** When nobody who connects is answered for so long, and nobody else is, the network swallows what is sent. */
const silentAfterMs = 2000
const connectEveryMs = 500
/** An answer that is on its way gets so long to arrive. */
const graceMs = 200
/** Slow statements are looked at again after this time. */
const quietMs = 1000

/** For a connection, or for the answer to what was sent on one. */
interface Wait {
  since: number
  client: JudgedClient | undefined
}

interface Watched {
  /** When it began to connect; undefined once it is connected */
  connectingSince: number | undefined
  /** Since when nobody has it; undefined while somebody does */
  idleSince: number | undefined
}

interface WatchedClient extends JudgedClient {
  once(event: 'end', listener: () => void): unknown
}

/** Why a connection was thrown away: it, or others of its age, had stopped to answer. */
export class ConnectionSwallowed extends Error {
  override readonly name = 'ConnectionSwallowed'
}

/**
 * Finds out which connections a network has swallowed, and throws them away together. A connection does not tell: one
 * that is dead and one whose statement takes long are equally silent. So others are asked: one that is made anew, and
 * the server, which knows whether it works at a statement.
 */
export class PostgresWatch {
  readonly #openAside: (() => AsideClient) | undefined
  readonly #onSilent: () => void
  /** Oldest first */
  readonly #waits = new Set<Wait>()
  readonly #clients = new Map<JudgedClient, Watched>()
  #answeredAt = Number.NEGATIVE_INFINITY
  #quietUntil = Number.NEGATIVE_INFINITY
  #isSilent = false
  #isLooking = false
  #timer: NodeJS.Timeout | undefined

  /**
   * @param openAside makes a connection like those of the pool, which is not in it
   * @param onSilent hears that nobody answers
   */
  constructor(openAside: (() => AsideClient) | undefined, onSilent: () => void = () => {}) {
    this.#openAside = openAside
    this.#onSilent = onSilent
  }

  /** Whether, as far as is known, nobody answers. */
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

  begin(client?: JudgedClient): Wait {
    const wait = { since: performance.now(), client }
    this.#waits.add(wait)
    this.#arm()
    return wait
  }

  end(wait: Wait): void {
    this.#waits.delete(wait)
  }

  /** Throws away what nobody has used since that time. */
  cutIdle(before: number): void {
    for (const [client, { idleSince }] of this.#clients) {
      if (idleSince !== undefined && idleSince <= before) this.#cut(client)
    }
  }

  /** Throws everything away. */
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

  #cut(client: JudgedClient): void {
    this.#clients.delete(client)
    destroy(client, new ConnectionSwallowed('The connection has stopped to answer.'))
  }

  /** One timer for all who wait, and none when nobody does. */
  #arm(): void {
    if (this.#timer !== undefined || this.#waits.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#arm()
      if (this.#isSuspicious() && performance.now() >= this.#quietUntil) this.#look()
    }, lookEveryMs).unref()
  }

  #isSuspicious(): boolean {
    const [oldest] = this.#waits
    return oldest !== undefined && performance.now() - oldest.since >= suspectAfterMs
  }

  #look(): void {
    const openAside = this.#openAside
    if (this.#isLooking || openAside === undefined) return
    this.#isLooking = true
    this.#judge(openAside).finally(() => {
      this.#isLooking = false
    })
  }

  async #judge(openAside: () => AsideClient): Promise<void> {
    const startedAt = performance.now()
    const sighting = await this.#sight(openAside)
    if (sighting !== undefined) {
      this.noteAnswer()
      this.#quietUntil = performance.now() + quietMs
      await this.#cutSuspects(sighting)
      return
    }
    // What has arrived while this process was busy has yet to be read.
    await sleep(graceMs, undefined, { ref: false })
    if (this.#isSuspicious() && !this.hasAnsweredSince(startedAt)) this.#cutSilent()
  }

  /** Begins a connection every now and then, until the first is answered or all have been silent for too long. */
  async #sight(openAside: () => AsideClient): Promise<Sighting | undefined> {
    const asides: AsideClient[] = []
    const timers: NodeJS.Timeout[] = []
    try {
      return await new Promise((resolve) => {
        const begin = (): void => {
          if (!this.#isSuspicious()) {
            resolve(undefined)
            return
          }
          const aside = openAside()
          asides.push(aside)
          // One that fails tells nothing: the next may not.
          lookAside(aside, () => this.#suspects(performance.now())).then(resolve, () => {})
        }
        timers.push(setInterval(begin, connectEveryMs).unref())
        timers.push(setTimeout(resolve, silentAfterMs, undefined).unref())
        begin()
      })
    } finally {
      for (const timer of timers) clearTimeout(timer)
      for (const aside of asides) destroy(aside)
    }
  }

  #suspects(now: number): JudgedClient[] {
    return [...this.#waits].flatMap(({ since, client }) =>
      client !== undefined && now - since >= suspectAfterMs ? [client] : [],
    )
  }

  /** Somebody answers, but not those whom the server does nothing for, nor those who should have been first. */
  async #cutSuspects({ startedAt, isWorkingFor }: Sighting): Promise<void> {
    const lost = [...this.#waits].filter(
      ({ since, client }) =>
        client !== undefined &&
        startedAt - since >= suspectAfterMs &&
        isWorkingFor(client) === false,
    )
    await sleep(graceMs, undefined, { ref: false })
    for (const wait of lost) {
      if (wait.client === undefined || !this.#waits.has(wait)) continue
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
