import { z } from 'zod'
import { type Actor, actorTypes, type Call } from '../../base/call/call.ts'
import { invalidInput } from '../../base/errors.ts'
import { idSchema } from '../../base/input/id.ts'
import { codePoints } from '../../base/input/input.ts'
import { dateSchema } from '../../base/input/instant.ts'
import { assertInFeed, readCursor, writeCursor } from './cursor.ts'
import type { EventsServices } from './services.ts'
import type { LatestRequest, StoredEvent } from './store.ts'
import { listTypes, typePatternSchema } from './type-patterns.ts'

export const maxFeedLimit = 1_000
const maxWaitSeconds = 25

export const readFeedSchema = z.strictObject({
  after: codePoints(z.string(), 1, 200).optional(),
  limit: z.int().min(1).max(maxFeedLimit).default(100),
  wait: z.number().min(0).max(maxWaitSeconds).default(0),
  types: z.array(typePatternSchema).min(1).max(50).optional(),
  userId: idSchema.optional(),
  actor: z.enum(actorTypes).optional(),
  since: dateSchema.optional(),
  sort: z.enum(['createdAt', '-createdAt']).default('createdAt'),
})
/** Options for reading a feed. */
export interface ReadFeedInput {
  /** `nextCursor` of the previous result. @default the oldest stored event */
  after?: string | undefined
  /** 1 to 1,000. @default 100 */
  limit?: number | undefined
  /**
   * How long to wait if there are no events, in seconds, at most 25. It does not wait if 100 readers of the account are
   * waiting in this process. @default 0
   */
  wait?: number | undefined
  /** Types of events, `user.created`, or groups of them, `user.*`. @default all */
  types?: string[] | undefined
  /** Only events about this user. @default all */
  userId?: string | undefined
  /** Only events by actors of this kind. @default all */
  actor?: Actor['type'] | undefined
  /** Starts at the first event from then on. @default the oldest stored event */
  since?: Date | undefined
  /**
   * `-createdAt` reads backwards, newest first: from the end without `after`, and with the cursor of the previous
   * result the events before it. Reading forwards with such a cursor begins with the oldest event of that result.
   * @default 'createdAt'
   */
  sort?: 'createdAt' | '-createdAt' | undefined
}

/** The caller of a request that reads events, and may wait for them */
export interface FeedReader {
  /** Ends the wait */
  signal?: AbortSignal | undefined
  /** Called after each wait. Throws when the caller may read no more */
  readmit?: () => Promise<unknown>
  /** Reads a page when it is its turn. @default at once */
  inTurn?: <Page>(read: () => Promise<Page>) => Promise<Page>
}

/** The turns of a caller in process: none */
export function atOnce<Page>(read: () => Promise<Page>): Promise<Page> {
  return read()
}

export interface StoredFeedPage {
  events: StoredEvent[]
  nextCursor: string
  hasMore: boolean
}

/**
 * Reads on in the feed of an account, and waits if there are no events. Waiting holds no database connection.
 *
 * @throws ClienteleError `validation_failed` for a cursor of another feed, or of a feed that was restored from a backup
 *   since; `cursor_expired`
 */
export async function readFeed(
  services: EventsServices,
  { accountId }: Call,
  {
    after: cursor,
    limit,
    wait,
    types,
    userId,
    actor,
    since,
    sort,
  }: z.output<typeof readFeedSchema>,
  { signal, readmit, inTurn = atOnce }: FeedReader = {},
): Promise<StoredFeedPage> {
  const { repository, feedWatch } = services
  const start = cursor === undefined ? undefined : readCursor(accountId, cursor)
  const request = { limit, types: types && listTypes(types), userId, actorType: actor }
  const floor = since === undefined ? 0 : await repository.events.findStart(accountId, since)
  if (sort === '-createdAt') {
    if (wait > 0)
      throw invalidInput([
        { pointer: '/wait', code: 'value', message: 'is for reading oldest first only' },
      ])
    return inTurn(() => readBack(services, accountId, { ...request, before: start, after: floor }))
  }
  const until = performance.now() + wait * 1000
  const isWanted = ({ type, subject, actor: by }: StoredEvent) =>
    (request.types?.includes(type) ?? true) &&
    (actor === undefined || by.type === actor) &&
    (userId === undefined || (subject.type === 'user' && subject.id === userId))
  let position = Math.max(start ?? 0, floor)
  for (;;) {
    const after = position
    const page = await inTurn(() => repository.events.read(accountId, { ...request, after }))
    const { events, hasMore } = page
    if (start !== undefined) assertInFeed(start, page)
    position = page.position
    const left = until - performance.now()
    const mayWait = events.length === 0 && !hasMore && left > 0 && feedWatch.hasRoom(accountId)
    if (mayWait) {
      await feedWatch.wait(accountId, position, left, signal, isWanted)
      // The database may be closed by now.
      if (!feedWatch.isClosed && !signal?.aborted) {
        await readmit?.()
        continue
      }
    }
    return { events, nextCursor: writeCursor(accountId, position), hasMore }
  }
}

async function readBack(
  { repository }: EventsServices,
  accountId: string,
  request: LatestRequest,
): Promise<StoredFeedPage> {
  const page = await repository.events.readLatest(accountId, request)
  const { before = 0 } = request
  // A cursor in the deleted part is no error when reading towards it.
  assertInFeed(Math.max(before, page.purgedPosition), page)
  const { events, position, hasMore } = page
  return { events, nextCursor: writeCursor(accountId, position), hasMore }
}
