import type { Repository } from '@clientele/core'
import type { Tenant } from '../world.ts'

/**
 * What a method does when `mine` calls it with what belongs to `theirs`. Afterwards everything of `theirs` must be as
 * it was. A method that belongs to no account says why.
 */
export type IsolationCase =
  | ((repository: Repository, mine: Tenant, theirs: Tenant) => Promise<void>)
  | { belongsToNoAccount: string }

/** A case for every method of one store. */
export type IsolationCases<Store extends keyof Repository> = Record<
  keyof Repository[Store],
  IsolationCase
>
