/**
 * The maximum number of leased endpoints: while requests to some of them run, a few statements read and record for the
 * others.
 */
export const maxTurns = 256
/** How many more there may be of accounts that have none: those of other accounts may all hang. */
const reservedTurns = 128
/**
 * How many turns an account may have. It has ten endpoints at most, but the turn of one that is deleted goes on until its
 * request is answered.
 */
const maxTurnsOfAccount = 20

export const mostTurns: number = maxTurns + reservedTurns

interface DueEndpoint {
  accountId: string
  id: string
}

export interface RunningTurn {
  accountId: string
  webhookId: string
}

/**
 * Chooses among due endpoints those that get a turn: first those of accounts with the fewest turns. An endpoint that was
 * changed or is replayed has lost its lease, and is due again, while its last request may still be under way: it waits for
 * that, so that it has one turn at a time.
 *
 * @param room how many may be chosen; an account without a turn gets one also without room
 * @returns whether others have to wait for room, too
 */
export function chooseEndpoints<Due extends DueEndpoint>(
  due: readonly Due[],
  turns: Iterable<RunningTurn>,
  room: number,
): { chosen: Due[]; hasMore: boolean } {
  const running = new Set<string>()
  const counts = new Map<string, number>()
  const countOf = ({ accountId }: { accountId: string }): number => counts.get(accountId) ?? 0
  for (const turn of turns) {
    running.add(turn.webhookId)
    counts.set(turn.accountId, countOf(turn) + 1)
  }
  const waiting = due
    .filter(({ id }) => !running.has(id))
    .toSorted((one, other) => countOf(one) - countOf(other))
  const chosen: Due[] = []
  let hasMore = false
  for (const each of waiting) {
    const count = countOf(each)
    if (count >= maxTurnsOfAccount) continue
    const isReserved = count === 0 && running.size + chosen.length < mostTurns
    if (chosen.length < room || isReserved) {
      chosen.push(each)
      counts.set(each.accountId, count + 1)
    } else hasMore = true
  }
  return { chosen, hasMore }
}
