import { type Finding, type History, listAsked, listSucceeded, type SeenUser } from '../history.ts'

/** At any moment an e-mail belongs to one user of the account at most. */
export function findDuplicateEmails(history: History): Finding[] {
  const lists = [
    { where: 'the last list', users: history.users },
    ...listSucceeded(history, 'find').map(({ id, told }) => ({
      where: id,
      users: told.users ?? [],
    })),
  ]
  return [...findAcknowledgedTwice(history), ...lists.flatMap(findInList)]
}

function findInList({ where, users }: { where: string; users: readonly SeenUser[] }): Finding[] {
  const byEmail = Map.groupBy(users, ({ email }) => email)
  return [...byEmail]
    .filter(([, those]) => those.length > 1)
    .map(([email, those]) => `${where} has ${email} in ${those.map(({ id }) => id).join(', ')}`)
}

/** Two users were created with one e-mail, and no deletion began before both were there. */
function findAcknowledgedTwice(history: History): Finding[] {
  const deletions = listAsked(history, 'delete')
  const lives = listSucceeded(history, 'create').map((creation) => {
    const starts = deletions
      .filter(({ asked }) => asked.userId === creation.told.user?.id)
      .map(({ start }) => start)
    return { creation, goesAt: Math.min(...starts, Number.POSITIVE_INFINITY) }
  })
  const byEmail = Map.groupBy(lives, ({ creation }) => creation.asked.email)
  return [...byEmail.values()].flatMap((those) => {
    const inOrder = those.toSorted((a, b) => a.creation.end - b.creation.end)
    return inOrder.flatMap(({ creation }, index) =>
      inOrder
        .slice(0, index)
        .filter(({ goesAt }) => goesAt > creation.end)
        .map(
          (other) => `${other.creation.id} and ${creation.id} both have ${creation.asked.email}`,
        ),
    )
  })
}
