import {
  type Finding,
  type History,
  hasSucceeded,
  type Operation,
  type SeenEvent,
} from '../history.ts'

/** The events that follow from questions; others, such as `signing_key.created`, come along with them. */
const typesOf: Partial<Record<Operation['asked']['kind'], string>> = {
  create: 'user.created',
  change: 'user.updated',
  delete: 'user.deleted',
  'log in': 'user.logged_in',
  'log out': 'user.logged_out',
}
const followingTypes = new Set(Object.values(typesOf))

/** What was done has one event, and what was refused has none; all readers get the same events in the same order. */
export function findWrongEvents(history: History): Finding[] {
  return [...findByRequest(history), ...findReordered(history), ...findMisread(history)]
}

function findByRequest({ operations, feed }: History): Finding[] {
  const following = feed.filter(({ type }) => followingTypes.has(type))
  const byRequest = Map.groupBy(following, ({ requestId }) => requestId)
  const known = new Set(operations.map(({ id }) => id))
  const strangers = following
    .filter(({ requestId }) => !known.has(requestId))
    .map(({ id, requestId }) => `the event ${id} names ${requestId}, which asked nothing`)
  return [
    ...strangers,
    ...operations.flatMap((each) => findOfOperation(each, byRequest.get(each.id) ?? [])),
  ]
}

function findOfOperation(operation: Operation, events: readonly SeenEvent[]): Finding[] {
  const { id, asked, told } = operation
  const type = typesOf[asked.kind]
  if (events.length > 1) return [`${id} (${asked.kind}) has ${events.length} events`]
  const [event] = events
  if (event !== undefined && event.type !== type) return [`${id} (${asked.kind}) has ${event.type}`]
  // It was done or was not, and a session that had ended before has no second end.
  const mayBeNone = told === undefined || type === undefined || asked.kind === 'log out'
  if (event === undefined)
    return hasSucceeded(operation) && !mayBeNone ? [`${id} (${asked.kind}) has no event`] : []
  return told === undefined || hasSucceeded(operation)
    ? []
    : [`${id} (${asked.kind}) was refused, and has an event`]
}

/** The counters of a user's events never go back. */
function findReordered({ feed }: History): Finding[] {
  const last = new Map<string, number>()
  return feed.flatMap(({ id, userId, counts = {} }) =>
    Object.entries(counts).flatMap(([member, count]) => {
      const name = `${userId} ${member}`
      const before = last.get(name) ?? 0
      last.set(name, Math.max(before, count))
      return count < before ? [`the event ${id} has ${member} ${count} after ${before}`] : []
    }),
  )
}

/** A reader that follows the feed gets the feed from its beginning, each event once. */
function findMisread({ feed, followed }: History): Finding[] {
  return followed.flatMap((ids, reader) => {
    const place = ids.findIndex((id, index) => id !== feed[index]?.id)
    if (place >= 0)
      return [`reader ${reader} got ${ids[place]} at ${place}, not ${feed[place]?.id}`]
    const missing = feed.length - ids.length
    return missing === 0 ? [] : [`reader ${reader} did not get the last ${missing} events`]
  })
}
