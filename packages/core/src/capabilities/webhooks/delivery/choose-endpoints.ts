/**
 * The maximum number of leased endpoints: while requests to some of them run, a few statements read and record for the
 * others.
 */
const maxTurns = 256
/** How many more there may be of accounts that have none: those of other accounts may all hang. */
const reservedTurns = 128
/**
 * How many turns an account may have. It has ten endpoints at most, but the turn of one that is deleted goes on until its
 * request is answered.
 */
const maxTurnsOfAccount = 20

export const mostTurns: number = maxTurns + reservedTurns

/** Endpoints whose last attempt failed have some of these only: the other places are for the other endpoints. */
const maxFailingTurns = 96
const reservedFailingTurns = 32

/** How many more endpoints may be chosen */
export interface Room {
  /** Of any account */
  ofAny: number
  /** Together with first ones of accounts without a turn */
  most: number
}

interface DueEndpoint {
  accountId: string
  id: string
}

export interface RunningTurn {
  accountId: string
  webhookId: string
  /** Whether the last attempt failed */
  isFailing: boolean
}

export function countRoom(turns: ReadonlySet<RunningTurn>, isFailing: boolean): Room {
  const left = maxTurns - turns.size
  if (!isFailing) return { ofAny: left, most: left + reservedTurns }
  const failing = [...turns].filter((turn) => turn.isFailing).length
  const leftFailing = maxFailingTurns - failing
  return {
    ofAny: Math.min(left, leftFailing),
    most: Math.min(left, leftFailing + reservedFailingTurns),
  }
}

/**
 * Chooses among due endpoints those that get a turn: first those of accounts with the fewest turns. An endpoint that was
 * changed or is replayed has lost its lease, and is due again, while its last request may still be under way: it waits for
 * that, so that it has one turn at a time.
 *
 * @returns whether others have to wait for room, too
 */
export function chooseEndpoints<Due extends DueEndpoint>(
  due: readonly Due[],
  turns: Iterable<RunningTurn>,
  room: Room,
): { chosen: Due[]; hasMore: boolean } {
  const running = new Set<string>()
  const counts = new Map<string, number>()
  /** Adds a turn of the account; returns how many it had. */
  const add = (accountId: string): number => {
    const count = counts.get(accountId) ?? 0
    counts.set(accountId, count + 1)
    return count
  }
  for (const turn of turns) {
    running.add(turn.webhookId)
    add(turn.accountId)
  }
  const waiting = due
    .filter(({ id }) => !running.has(id))
    .map((endpoint) => ({ endpoint, before: add(endpoint.accountId) }))
    .filter(({ before }) => before < maxTurnsOfAccount)
    .toSorted((one, other) => one.before - other.before)
  const chosen: Due[] = []
  let hasMore = false
  for (const { endpoint, before } of waiting) {
    if (chosen.length < (before === 0 ? room.most : room.ofAny)) chosen.push(endpoint)
    else hasMore = true
  }
  return { chosen, hasMore }
}
