import { type Expression, type RawBuilder, sql } from 'kysely'

/**
 * Compares the ids of an event that was found by its place in the order of insertion. That order is unique, unless the rows
 * were copied from another database without its sequence. As texts, so that no plan reads the events of an account by
 * their ids.
 */
export function isSameEvent(
  id: Expression<string>,
  found: Expression<string>,
): RawBuilder<boolean> {
  return sql`cast(${id} as text) = cast(${found} as text)`
}
