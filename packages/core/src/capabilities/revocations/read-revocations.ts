import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { codePoints } from '../../base/input/input.ts'
import { assertInFeed } from '../events/cursor.ts'
import type { FeedPage, StoredEvent } from '../events/store.ts'
import { type FeedPlace, readPlace, writePlace } from './feed-place.ts'
import type { RevocationsServices } from './services.ts'
import { type Revocation, revokingTypes, toRevocations } from './to-revocations.ts'

export const maxRevocations = 1_000
const maxWaitSeconds = 25
/** Places follow the times of events but for what writes take, and for the clocks of processes that differ. */
const marginMs = 5 * 60_000

export const readRevocationsSchema = z.strictObject({
  after: codePoints(z.string(), 1, 200).optional(),
  limit: z.int().min(1).max(maxRevocations).default(100),
  wait: z.number().min(0).max(maxWaitSeconds).default(0),
})
/** How to read what has been revoked. */
export interface ReadRevocationsInput {
  /** `nextCursor` of the answer before. @default what can still matter: one token life, and a little more */
  after?: string | undefined
  /** 1 to 1,000. @default 100 */
  limit?: number | undefined
  /**
   * For how long to wait where there is nothing, in seconds, at most 25; where 100 readers of the account wait in this
   * process, not at all. @default 0
   */
  wait?: number | undefined
}

export interface RevocationPage {
  data: Revocation[]
  /** `after` of the next call; there is one where `data` is empty, too */
  nextCursor: string
  /** Whether there is more at this moment */
  hasMore: boolean
}

/**
 * Reads on in what makes tokens of an account's users invalid before they expire; where there is nothing, it waits.
 *
 * @param signal ends the waiting
 * @throws ClienteleError `validation_failed` for a cursor of another feed, `cursor_expired`
 */
export async function readRevocations(
  services: RevocationsServices,
  { accountId }: Call,
  { after, limit, wait }: z.output<typeof readRevocationsSchema>,
  signal?: AbortSignal,
): Promise<RevocationPage> {
  const { repository, feedWatch } = services
  const until = performance.now() + wait * 1000
  let place =
    after === undefined ? await findBeginning(services, accountId) : readPlace(accountId, after)
  for (;;) {
    const { position } = place
    const page = await repository.events.read(accountId, {
      after: position,
      limit,
      types: revokingTypes,
    })
    assertInFeed(position, page)
    const { data, next, isCut } = take(page, place, limit)
    const hasMore = isCut || page.hasMore
    const left = until - performance.now()
    place = next
    const mayWait = data.length === 0 && !hasMore && left > 0 && feedWatch.hasRoom(accountId)
    if (mayWait) {
      await feedWatch.wait(accountId, place.position, left, signal, isRevoking)
      // The database may be closed by now.
      if (!feedWatch.isClosed && !signal?.aborted) continue
    }
    return { data, nextCursor: writePlace(accountId, place), hasMore }
  }
}

function isRevoking({ type }: StoredEvent): boolean {
  return revokingTypes.some((revoking) => revoking === type)
}

/** Before the oldest event that can still matter: older tokens have expired. */
async function findBeginning(services: RevocationsServices, accountId: string): Promise<FeedPlace> {
  const { repository, accessTokens, clock } = services
  const since = clock() - accessTokens.ttlSeconds * 1000 - marginMs
  return { position: await repository.events.findStart(accountId, since), entry: 0 }
}

/** What a page of the feed has for readers at a place, and where they are then. */
function take(
  { events, position }: FeedPage,
  { entry: given }: FeedPlace,
  limit: number,
): { data: Revocation[]; next: FeedPlace; isCut: boolean } {
  const entries = events.flatMap((event) =>
    toRevocations(event).map((revocation, entry) => ({ revocation, entry, event })),
  )
  const fresh = entries.slice(given)
  const data = fresh.slice(0, limit).map(({ revocation }) => revocation)
  const cut = fresh[limit]
  const next =
    cut === undefined
      ? { position, entry: 0 }
      : { position: cut.event.position - 1, entry: cut.entry }
  return { data, next, isCut: cut !== undefined }
}
