import type { Repository } from '@clientele/core'
import type { Tenant } from '../world.ts'

/**
 * What a method does when `mine` calls it with what belongs to `theirs`. Afterwards everything of `theirs` must be as
 * it was. A method that belongs to no account says why.
 */
export type IsolationCase =
  | ((repository: Repository, mine: Tenant, theirs: Tenant) => Promise<void>)
  | { belongsToNoAccount: string }

/** The cases of some of the port's methods. */
export type IsolationCases = Partial<Record<keyof Repository, IsolationCase>>
