import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { whileAdmitted } from '../../base/call/while-admitted.ts'
import { ClienteleError } from '../../base/errors.ts'
import type { ScimServices } from './services.ts'
import type { ScimStore } from './store.ts'

// All durations are in milliseconds, and measured by each process for itself: their clocks need not agree.

/** A lease that is not renewed for this time is that of a process which is gone. */
const abandonedMs = 10_000
const renewedEveryMs = 2_000
/** After this time without a renewal nothing more is written: another process may take the lease soon. */
const trustedMs = 6_000
/** How long a request waits for others of this process and of another one, and how long about between two looks */
const patienceMs = 15_000
const pauseMs = 50

/** A call that alone changes the groups of its account. */
export interface TurnCall extends Call {
  /** Called before each write: it throws `scim_group_unfinished` if another process may have the turn by now, too. */
  stayAdmitted: () => Promise<void>
}

/**
 * Runs what changes groups of an account: one request after the other, in all processes. The role of a group is written into one
 * user after the other, so that of two requests at once either could undo what the other has answered.
 *
 * @throws ClienteleError `scim_group_unfinished` if another process has the turn for 15 seconds; `overloaded` if this one
 *   has it so long, or a hundred requests wait; `account_not_found`
 */
export function inGroupTurn<T>(
  services: ScimServices,
  call: Call,
  run: (held: TurnCall) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + patienceMs
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), patienceMs)
  const change = async (): Promise<T> => {
    clearTimeout(timer)
    const holder = services.newId()
    const leasedAt = await takeLease(services, call, holder, deadline)
    const lease = new RenewedLease(services.repository.scim, call.accountId, holder, leasedAt)
    const stayAdmitted = async () => {
      await call.stayAdmitted?.()
      lease.assertHeld()
    }
    try {
      return await run({ ...call, stayAdmitted })
    } finally {
      await lease.end()
    }
  }
  return services.scimGroupTurns
    .run(call.accountId, whileAdmitted(call, change), patience.signal)
    .finally(() => clearTimeout(timer))
}

/** @returns the time before the lease was taken: it may have been taken long before that is known */
async function takeLease(
  { repository, scimGroupTurns }: ScimServices,
  { accountId, isGone }: Call,
  holder: string,
  deadline: number,
): Promise<number> {
  const { scim } = repository
  const { seen } = scimGroupTurns
  for (;;) {
    const startedAt = performance.now()
    const outcome = await scim.leaseGroups(accountId, holder)
    if (outcome !== 'held') seen.delete(accountId)
    if (outcome === 'leased') return startedAt
    if (outcome === 'account_not_found') throw new ClienteleError(outcome)
    // Looks until the lease is released, or may be taken.
    for (;;) {
      if (isGone?.() === true) throw anotherHasTurn()
      const now = performance.now()
      const lease = await scim.findGroupLease(accountId)
      if (lease === undefined) break
      const last = seen.get(accountId)
      const isSame = last?.holder === lease.holder && last.renewals === lease.renewals
      // When the answer came: it may have taken long.
      if (last === undefined || !isSame) seen.set(accountId, { ...lease, at: performance.now() })
      else if (now - last.at > abandonedMs && (await scim.takeOverGroups(accountId, lease, holder)))
        return now
      if (now > deadline) throw anotherHasTurn()
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
}

class RenewedLease {
  readonly #scim: ScimStore
  readonly #accountId: string
  readonly #holder: string
  readonly #timer: NodeJS.Timeout
  /** Before the statement that took or renewed it */
  #renewedAt: number
  #isLost = false

  constructor(scim: ScimStore, accountId: string, holder: string, leasedAt: number) {
    this.#scim = scim
    this.#accountId = accountId
    this.#holder = holder
    this.#renewedAt = leasedAt
    this.#timer = setInterval(() => void this.#renew(), renewedEveryMs).unref()
  }

  assertHeld(): void {
    if (this.#isLost || performance.now() - this.#renewedAt > trustedMs) throw anotherHasTurn()
  }

  async #renew(): Promise<void> {
    const startedAt = performance.now()
    try {
      if (await this.#scim.renewGroups(this.#accountId, this.#holder)) this.#renewedAt = startedAt
      else this.#isLost = true
    } catch {
      // The database does not answer: the next renewal may reach it.
    }
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    try {
      await this.#scim.releaseGroups(this.#accountId, this.#holder)
    } catch {
      // What the request has written stays, and the lease counts as abandoned soon.
    }
  }
}

function anotherHasTurn(): ClienteleError {
  const message = 'Another request changes the groups of the account: repeat this one shortly.'
  return new ClienteleError('scim_group_unfinished', message, { retryAfterSeconds: 1 })
}
