import { pickChanges } from '../../api/pick-changes.ts'
import type { Account } from './account.ts'

/** An account as it stands in a form. */
export interface AccountDraft {
  name: string
  /** Empty: none */
  slug: string
  /** Empty: none */
  externalId: string
}

export const emptyDraft: AccountDraft = { name: '', slug: '', externalId: '' }

export function toDraft({ name, slug, external_id: externalId }: Account): AccountDraft {
  return { name, slug: slug ?? '', externalId: externalId ?? '' }
}

/** The request body for a new account. */
export function toBody({ name, slug, externalId }: AccountDraft): object {
  return { name, slug: slug || null, external_id: externalId || null }
}

/** The request body for a changed account: only changed members. */
export function toChanges(draft: AccountDraft, old: Account): object {
  return pickChanges(toBody(toDraft(old)), toBody(draft))
}
