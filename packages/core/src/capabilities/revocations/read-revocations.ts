import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { codePoints } from '../../base/input/input.ts'
import { assertInFeed } from '../events/cursor.ts'
import { atOnce, type FeedReader } from '../events/read-feed.ts'
import type { FeedPage, StoredEvent } from '../events/store.ts'
import { type FeedPlace, readPlace, writePlace } from './feed-place.ts'
import type { RevocationsServices } from './services.ts'
import { type Revocation, revokingTypes, toRevocations } from './to-revocations.ts'

export const maxRevocations = 1_000
const maxWaitSeconds = 25
/** A margin: the order of positions differs from that of times by the duration of writes and by clock differences. */
const marginMs = 5 * 60_000

export const readRevocationsSchema = z.strictObject({
  after: codePoints(z.string(), 1, 200).optional(),
  limit: z.int().min(1).max(maxRevocations).default(100),
  wait: z.number().min(0).max(maxWaitSeconds).default(0),
})
/** Options for reading revocations. */
export interface ReadRevocationsInput {
  /** `nextCursor` of the previous result. @default all revocations of tokens that have not expired */
  after?: string | undefined
  /** 1 to 1,000. @default 100 */
  limit?: number | undefined
  /**
   * How long to wait if there are no revocations, in seconds, at most 25. It does not wait if 100 readers of the
   * account are waiting in this process. @default 0
   */
  wait?: number | undefined
}

export interface RevocationPage {
  data: Revocation[]
  /** `after` of the next call; present even when `data` is empty */
  nextCursor: string
  /** Whether there are more revocations right now */
  hasMore: boolean
}

/**
 * Reads on in the revocations of an account's tokens, and waits if there are none.
 *
 * @throws ClienteleError `validation_failed` for a cursor of another feed, `cursor_expired`
 */
export async function readRevocations(
  services: RevocationsServices,
  { accountId }: Call,
  { after, limit, wait }: z.output<typeof readRevocationsSchema>,
  { signal, readmit, inTurn = atOnce }: FeedReader = {},
): Promise<RevocationPage> {
  const { repository, feedWatch } = services
  const until = performance.now() + wait * 1000
  let place =
    after === undefined ? await findBeginning(services, accountId) : readPlace(accountId, after)
  for (;;) {
    const { position } = place
    const wanted = { after: position, limit, types: revokingTypes }
    const page = await inTurn(() => repository.events.read(accountId, wanted))
    assertInFeed(position, page)
    const { data, next, isCut } = take(page, place, limit, services.clock())
    const hasMore = isCut || page.hasMore
    const left = until - performance.now()
    place = next
    const mayWait = data.length === 0 && !hasMore && left > 0 && feedWatch.hasRoom(accountId)
    if (mayWait) {
      await feedWatch.wait(accountId, place.position, left, signal, isRevoking)
      // The database may be closed by now.
      if (!feedWatch.isClosed && !signal?.aborted) {
        await readmit?.()
        continue
      }
    }
    return { data, nextCursor: writePlace(accountId, place), hasMore }
  }
}

function isRevoking({ type }: StoredEvent): boolean {
  return revokingTypes.some((revoking) => revoking === type)
}

/** A position before the oldest event that can still matter: older tokens have expired. */
async function findBeginning(services: RevocationsServices, accountId: string): Promise<FeedPlace> {
  const { repository, accessTokens, clock } = services
  const since = clock() - accessTokens.ttlSeconds * 1000 - marginMs
  return { position: await repository.events.findStart(accountId, since), entry: 0 }
}

/** The revocations in a page of the feed, and the reader's next position. */
function take(
  { events, position }: FeedPage,
  { entry: given }: FeedPlace,
  limit: number,
  now: number,
): { data: Revocation[]; next: FeedPlace; isCut: boolean } {
  const entries = events.flatMap((event) =>
    toRevocations(event, now).map((revocation, entry) => ({ revocation, entry, event })),
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
