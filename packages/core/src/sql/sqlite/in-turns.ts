/** What says whose it is; undefined: of no account, or of several */
interface OfAccount {
  accountOf(): string | undefined
}

/**
 * Orders writes so that accounts take turns, each with one write: however many writes of one account wait, another
 * account's write waits for one of them. The writes of one account keep their order.
 */
export function inTurns<Write extends OfAccount>(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes
  const counts = new Map<string | undefined, number>()
  const rounds: Write[][] = []
  for (const write of writes) {
    const accountId = write.accountOf()
    const round = counts.get(accountId) ?? 0
    counts.set(accountId, round + 1)
    rounds[round] ??= []
    rounds[round].push(write)
  }
  return counts.size < 2 ? writes : rounds.flat()
}
