import { type Expression, sql } from 'kysely'

const endpoint = sql.ref('d.webhook_id')
const time = sql.ref('d.next_attempt_at')

/** The order in which `areOfTimes` finds deliveries `d` */
export const timeOrder = sql`${endpoint}, ${time}`

/**
 * Whether deliveries `d` of an account are of an endpoint, with the next attempt after and until these times. Only one index
 * has these pairs in this order. With an equality of the endpoint others fit too: where one endpoint has nearly all
 * deliveries, PostgreSQL expects as many of every endpoint, and reads those of all accounts.
 */
export function areOfTimes(
  webhookId: Expression<string>,
  { after, until }: { after?: Expression<number>; until?: Expression<number> },
) {
  const isAfter =
    after === undefined
      ? sql`${endpoint} >= ${webhookId}`
      : sql`(${endpoint}, ${time}) > (${webhookId}, ${after})`
  const isUntil =
    until === undefined
      ? sql`${endpoint} <= ${webhookId}`
      : sql`(${endpoint}, ${time}) <= (${webhookId}, ${until})`
  return sql<boolean>`${isAfter} and ${isUntil}`
}
