import type { Repository } from '../repository.ts'

/** The place of the last event that was committed before the call. */
export async function findFeedEnd(
  { repository: { events } }: { repository: Pick<Repository, 'events'> },
  accountId: string,
): Promise<number> {
  // Whoever reads gives places to what was committed.
  await events.read(accountId, { after: 0, limit: 1 })
  const [head] = await events.findHeads([accountId])
  return head?.lastPosition ?? 0
}
