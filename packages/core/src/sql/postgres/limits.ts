import type { PostgresTimeLimits } from './pool.ts'
import type { PostgresUrl } from './url.ts'

export type TimeLimits = Required<PostgresTimeLimits>

/** Reads the limits: the program's, otherwise those of the URL, otherwise the defaults. */
export function chooseLimits(options: PostgresTimeLimits, url: PostgresUrl): TimeLimits {
  const { connectionSeconds = url.connect_timeout ?? 5 } = options
  const { lockSeconds = inSeconds(url.lock_timeout) ?? 5 } = options
  const { statementSeconds = inSeconds(url.statement_timeout) ?? 10 } = options
  return { connectionSeconds, lockSeconds, statementSeconds }
}

/** Start parameters for the server. A pooler refuses them. */
export function toStartParameters(limits: TimeLimits) {
  const { lock, statement, idle } = inMilliseconds(limits)
  return {
    lock_timeout: lock,
    statement_timeout: statement,
    idle_in_transaction_session_timeout: idle,
  }
}

/** Settings for the current transaction only. */
export function toLocalSettings(limits: TimeLimits): string {
  const { lock, statement, idle } = inMilliseconds(limits)
  return (
    `set local statement_timeout = ${statement}; set local lock_timeout = ${lock}; ` +
    `set local idle_in_transaction_session_timeout = ${idle}`
  )
}

function inMilliseconds({ lockSeconds, statementSeconds }: TimeLimits) {
  return {
    lock: Math.ceil(lockSeconds * 1000),
    statement: Math.ceil(statementSeconds * 1000),
    idle: Math.ceil(statementSeconds * 1500),
  }
}

function inSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000
}
