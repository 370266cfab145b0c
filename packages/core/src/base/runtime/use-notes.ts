import { maxSetBackMs } from './latest-end.ts'

const noteEveryMs = 60_000

interface Use {
  /** Of the credential that was used */
  id: string
  lastUsedAt: number | null
  now: number
}

/** Records when credentials were last used: once a minute each, without delaying the request that used one. */
export class UseNotes {
  readonly #beingNoted = new Set<string>()

  note(use: Use, write: () => Promise<void>, onError: (error: unknown) => void): void {
    const { id } = use
    if (!isDue(use) || this.#beingNoted.has(id)) return
    this.#beingNoted.add(id)
    setImmediate(() => {
      write()
        .catch(onError)
        .finally(() => this.#beingNoted.delete(id))
    })
  }
}

/** Also when the clock was ahead at the last use */
function isDue({ lastUsedAt, now }: Use): boolean {
  return lastUsedAt === null || now - lastUsedAt >= noteEveryMs || lastUsedAt - now > maxSetBackMs
}
