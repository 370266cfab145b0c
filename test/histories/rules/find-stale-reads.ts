import {
  type Finding,
  type History,
  hasSucceeded,
  isBefore,
  listAsked,
  listSucceeded,
} from '../history.ts'

/** A read that begins after an acknowledged write sees it: changes, deletions, users that were created, sessions that ended. */
export function findStaleReads(history: History): Finding[] {
  return [
    ...findOldCounts(history),
    ...findDeleted(history),
    ...findLost(history),
    ...findLoggedOut(history),
  ]
}

function findOldCounts(history: History): Finding[] {
  const changes = listSucceeded(history, 'change')
  const seen = [...listSucceeded(history, 'read'), ...changes].flatMap((read) => {
    const { user } = read.told
    return user === undefined ? [] : [{ read, user }]
  })
  return seen.flatMap(({ read, user }) =>
    changes
      .filter(({ asked }) => asked.userId === user.id)
      .filter((change) => isBefore(change, read))
      .filter(({ asked }) => (user.counts[asked.member] ?? 0) < asked.count)
      .map(({ id, asked }) => `${read.id} does not see ${asked.member} ${asked.count} of ${id}`),
  )
}

function findDeleted(history: History): Finding[] {
  const deletions = listSucceeded(history, 'delete')
  return listSucceeded(history, 'read').flatMap((read) =>
    deletions
      .filter(({ asked }) => asked.userId === read.asked.userId)
      .filter((deletion) => isBefore(deletion, read))
      .map((deletion) => `${read.id} sees the user that ${deletion.id} deleted`),
  )
}

/** Users that were created, and that no request has tried to delete. */
function findLost(history: History): Finding[] {
  const deletions = new Set(listAsked(history, 'delete').map(({ asked }) => asked.userId))
  const reads = listAsked(history, 'read')
  const present = new Set(history.users.map(({ id }) => id))
  return listSucceeded(history, 'create').flatMap((creation) => {
    const userId = creation.told.user?.id ?? ''
    if (deletions.has(userId)) return []
    const late = reads
      .filter(({ asked, told }) => asked.userId === userId && told?.status === 404)
      .filter((read) => isBefore(creation, read))
      .map((read) => `${read.id} does not find the user of ${creation.id}`)
    return present.has(userId)
      ? late
      : [...late, `the user of ${creation.id} is not there at the end`]
  })
}

function findLoggedOut(history: History): Finding[] {
  const ended = listAsked(history, 'log out').filter(hasSucceeded)
  return listSucceeded(history, 'validate').flatMap((validation) =>
    ended
      .filter(({ asked }) => asked.token === validation.asked.token)
      .filter((logout) => isBefore(logout, validation))
      .map((logout) => `${validation.id} takes the token whose session ${logout.id} ended`),
  )
}
