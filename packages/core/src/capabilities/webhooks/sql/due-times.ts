import { type Expression, sql } from 'kysely'
import type { ParameterOf } from '../../../sql/db.ts'
import { latestAttempt, leaseMs } from '../delivery-times.ts'

/** Renewed leases end soon: a later end was stored while a clock was ahead. Clocks may be this far apart. */
const maxApartMs = 600_000

/** The times by which endpoints and deliveries are due. */
export interface DueTimes {
  now: number
  /** A lease that ends later was taken while a clock was ahead: without this its endpoint would wait until then. */
  latestLease: number
  /** The same for the next attempt of a delivery */
  latestAttempt: number
}

export function dueTimesOf(now: number): DueTimes {
  return {
    now,
    latestLease: now + leaseMs + maxApartMs,
    latestAttempt: latestAttempt(now),
  }
}

/** Whether nothing holds an endpoint whose lease ends then. */
export function isFree(leaseUntil: Expression<number>, value: ParameterOf<DueTimes>) {
  return sql<boolean>`(${leaseUntil} <= ${value('now')} or ${leaseUntil} > ${value('latestLease')})`
}
