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

/** What is known of an endpoint before its turn: whether its last attempt failed, or a request was slow lately. */
export type TurnKind = 'quick' | 'slow' | 'failing'

/** These have some of the turns only: the others are for endpoints that are neither slow nor failing. */
const turnsOf = {
  slow: { most: 64, reserved: 32 },
  failing: { most: 96, reserved: 32 },
}

/** How many more endpoints may be chosen */
export interface Room {
  /** Of any account */
  ofAny: number
  /** Together with first ones of accounts without a turn */
  most: number
}

export interface DueEndpoint {
  accountId: string
  id: string
}

export interface RunningTurn {
  accountId: string
  webhookId: string
  kind: TurnKind
}

export function countRoom(turns: ReadonlySet<RunningTurn>, kind: TurnKind): Room {
  const left = maxTurns - turns.size
  if (kind === 'quick') return { ofAny: left, most: left + reservedTurns }
  const { most, reserved } = turnsOf[kind]
  const leftOfKind = most - [...turns].filter((turn) => turn.kind === kind).length
  return { ofAny: Math.min(left, leftOfKind), most: Math.min(left, leftOfKind + reserved) }
}

/**
 * Chooses among due endpoints of a kind those that get a turn: first those of accounts with the fewest turns, of slow
 * endpoints with the fewest such turns. An endpoint that was changed or is replayed has lost its lease, and is due again, while
 * its last request may still be under way: it waits for that, so that it has one turn at a time.
 *
 * @returns also those that have to wait for room
 */
export function chooseEndpoints<Due extends DueEndpoint>(
  due: readonly Due[],
  turns: ReadonlySet<RunningTurn>,
  kind: TurnKind,
): { chosen: Due[]; left: Due[] } {
  const room = countRoom(turns, kind)
  const running = new Set<string>()
  const [addTurn, addCounted] = [createCounter(), createCounter()]
  for (const turn of turns) {
    running.add(turn.webhookId)
    addTurn(turn.accountId)
    if (kind !== 'slow' || turn.kind === kind) addCounted(turn.accountId)
  }
  const waiting = due
    .filter(({ id }) => !running.has(id))
    .filter(({ accountId }) => addTurn(accountId) < maxTurnsOfAccount)
    .map((endpoint) => ({ endpoint, before: addCounted(endpoint.accountId) }))
    .toSorted((one, other) => one.before - other.before)
  const chosen: Due[] = []
  const left: Due[] = []
  for (const { endpoint, before } of waiting) {
    const hasRoom = chosen.length < (before === 0 ? room.most : room.ofAny)
    if (hasRoom) chosen.push(endpoint)
    else left.push(endpoint)
  }
  return { chosen, left }
}

/** Makes a function that counts accounts: it returns how often it has had the account before. */
function createCounter(): (accountId: string) => number {
  const counts = new Map<string, number>()
  return (accountId) => {
    const count = counts.get(accountId) ?? 0
    counts.set(accountId, count + 1)
    return count
  }
}
