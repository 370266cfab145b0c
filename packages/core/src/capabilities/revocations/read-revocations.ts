import { setImmediate as endOfTurn } from 'node:timers/promises'
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
/** After how many events and entries the event loop gets its turn: a page takes milliseconds. */
const perTurn = 100

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

export interface RevocationPage<Entry = Revocation> {
  data: Entry[]
  /** `after` of the next call; present even when `data` is empty */
  nextCursor: string
  /** Whether there are more revocations right now */
  hasMore: boolean
}

/**
 * Reads on in the revocations of an account's tokens, and waits if there are none.
 *
 * @param render makes the entries of the page, in the turn in which they are read
 * @throws ClienteleError `validation_failed` for a cursor of another feed, `cursor_expired`
 */
export async function readRevocations<Entry>(
  services: RevocationsServices,
  { accountId }: Call,
  { after, limit, wait }: z.output<typeof readRevocationsSchema>,
  render: (revocation: Revocation) => Entry,
  { signal, readmit, inTurn = atOnce }: FeedReader = {},
): Promise<RevocationPage<Entry>> {
  const { repository, feedWatch } = services
  const until = performance.now() + wait * 1000
  let place =
    after === undefined ? await findBeginning(services, accountId) : readPlace(accountId, after)
  for (;;) {
    const { position } = place
    const wanted = { after: position, limit, types: revokingTypes, withoutPersons: true } as const
    const from = place
    const { data, next, hasMore } = await inTurn(async () => {
      const page = await repository.events.read(accountId, wanted)
      assertInFeed(position, page)
      return take(page, from, limit, services.clock(), render)
    })
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

/** The revocations in a page of the feed, and the reader's next position. An event may end a hundred sessions. */
async function take<Entry>(
  { events, position, hasMore }: FeedPage,
  { entry: given }: FeedPlace,
  limit: number,
  now: number,
  render: (revocation: Revocation) => Entry,
): Promise<{ data: Entry[]; next: FeedPlace; hasMore: boolean }> {
  const data: Entry[] = []
  let known = given
  let made = 0
  for (const event of events) {
    const revocations = toRevocations(event, now)
    for (const [entry, revocation] of revocations.entries()) {
      if (known > 0) known--
      else if (data.length < limit) data.push(render(revocation))
      else return { data, next: { position: event.position - 1, entry }, hasMore: true }
    }
    made += 1 + revocations.length
    if (made < perTurn) continue
    await endOfTurn()
    made = 0
  }
  return { data, next: { position, entry: 0 }, hasMore }
}
