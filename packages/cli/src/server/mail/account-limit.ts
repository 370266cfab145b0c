import { MailFailure } from './mail-sender.ts'

/** How long a task may wait for its turn, in milliseconds */
const patienceMs = 10_000

interface Load {
  running: number
  /** Starts those that wait, the oldest first */
  waiting: Set<() => void>
}

/** Runs a few tasks of each account at once. */
export class AccountLimit {
  readonly #most: number
  readonly #loads = new Map<string, Load>()

  constructor(most: number) {
    this.#most = most
  }

  /** @throws MailFailure, not final, when it has waited for 10 seconds: what waits for longer has its own, bounded queue */
  async run<T>(accountId: string, task: () => Promise<T>): Promise<T> {
    const load = this.#loads.get(accountId) ?? { running: 0, waiting: new Set() }
    this.#loads.set(accountId, load)
    if (load.running < this.#most) load.running++
    else await takeTurn(load)
    try {
      return await task()
    } finally {
      const [start] = load.waiting
      // It takes this one's place.
      if (start !== undefined) start()
      else if (--load.running === 0) this.#loads.delete(accountId)
    }
  }
}

function takeTurn({ waiting }: Load): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = (): void => {
      clearTimeout(timer)
      waiting.delete(start)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.delete(start)
      const message = 'The mail has waited 10 seconds for other mails of its account.'
      reject(new MailFailure(message, { isFinal: false }))
    }, patienceMs)
    waiting.add(start)
  })
}
