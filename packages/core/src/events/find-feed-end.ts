import type { Services } from '../services.ts'

/** The place of the last event that was committed before the call. */
export async function findFeedEnd(
  { repository: { events } }: Pick<Services, 'repository'>,
  accountId: string,
): Promise<number> {
  // Whoever reads gives places to what was committed.
  await events.read(accountId, { after: 0, limit: 1 })
  const [head] = await events.findHeads([accountId])
  return head?.lastPosition ?? 0
}
