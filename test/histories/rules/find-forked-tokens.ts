import { type Finding, type History, isBefore, listSucceeded } from '../history.ts'

/** A refresh token has one successor; once the successor was used, the token opens nothing. */
export function findForkedTokens(history: History): Finding[] {
  const refreshes = listSucceeded(history, 'refresh')
  return [...Map.groupBy(refreshes, ({ asked }) => asked.refreshToken).values()].flatMap((uses) => {
    const successors = new Set(uses.map(({ told }) => told.refreshToken))
    const ids = uses.map(({ id }) => id).join(', ')
    const forks = successors.size > 1 ? [`${ids}: one token has ${successors.size} successors`] : []
    const later = refreshes.filter(({ asked }) => successors.has(asked.refreshToken))
    const late = uses.flatMap((use) =>
      later
        .filter((next) => isBefore(next, use))
        .map((next) => `${use.id} used a token whose successor ${next.id} had used`),
    )
    return [...forks, ...late]
  })
}
