import { type Expression, sql } from 'kysely'

const time = sql.ref('d.next_attempt_at')

/**
 * The order in which `areOfTimes` finds deliveries `d`: where one is enough, it is asked for in this order too, as only one
 * index has it. Without, PostgreSQL expects of every endpoint as many as of one that has nearly all, and reads any index.
 */
export const timeOrder = time

/** Whether deliveries `d` of an account are of an endpoint, with the next attempt after and until these times. */
export function areOfTimes(
  webhookId: Expression<string>,
  { after, until }: { after?: Expression<number>; until?: Expression<number> },
) {
  const isOfEndpoint = sql<boolean>`${sql.ref('d.webhook_id')} = ${webhookId}`
  const isAfter = after === undefined ? sql`` : sql` and ${time} > ${after}`
  const isUntil = until === undefined ? sql`` : sql` and ${time} <= ${until}`
  return sql<boolean>`${isOfEndpoint}${isAfter}${isUntil}`
}
