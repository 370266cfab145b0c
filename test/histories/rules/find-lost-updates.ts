import { type Finding, type History, listSucceeded, type Succeeded } from '../history.ts'

/** Of all changes that name one ETag, one may succeed. What a change wrote is there at the end, or something later. */
export function findLostUpdates(history: History): Finding[] {
  return [...findSecondWinners(history), ...findMissing(history)]
}

function findSecondWinners(history: History): Finding[] {
  const winners = new Map<string, Succeeded<'change'>>()
  return listSucceeded(history, 'change').flatMap((change) => {
    const { userId, etag } = change.asked
    if (etag === undefined) return []
    const name = `${userId} ${etag}`
    const first = winners.get(name)
    winners.set(name, first ?? change)
    return first === undefined
      ? []
      : [`${first.id} and ${change.id} both changed the user ${userId} at ${etag}`]
  })
}

function findMissing(history: History): Finding[] {
  const users = new Map(history.users.map((user) => [user.id, user]))
  return listSucceeded(history, 'change').flatMap(({ id, asked }) => {
    const { userId, member, count } = asked
    const user = users.get(userId)
    if (user === undefined || (user.counts[member] ?? 0) >= count) return []
    return [`${id} set ${member} of ${userId} to ${count}; at the end it is ${user.counts[member]}`]
  })
}
