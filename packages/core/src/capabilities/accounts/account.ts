import { z } from 'zod'
import type { UserRules } from '../../base/call/call.ts'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { userFields } from '../../user-model/fields.ts'
import { textMetadataSchema } from '../../user-model/metadata.ts'
import { accountNameShape } from './account-names.ts'
import type { AccountPolicy, PolicyChanges, StoredPolicy } from './account-policy.ts'
import type { PasskeySettings } from './passkey-settings.ts'

/** A tenant: a customer of the API, who owns API keys and client users. */
export interface Account {
  id: string
  name: string
  /** Its part of a domain, such as `acme` of `acme.example.com`. No other account has it; null: none */
  slug: string | null
  /** Your own id of it. No other account has it; null: none */
  externalId: string | null
  /** Up to 5 texts of yours */
  metadata: Record<string, string>
  /** If present, users of the account can only have these roles. */
  allowedRoles: string[] | null
  createdAt: Date
  /** Since when its keys and its users' tokens are refused; null: the account is enabled */
  disabledAt: Date | null
  /** Its passkey settings; null: not configured, so that it has no passkeys */
  passkeys: PasskeySettings | null
  /** What it demands of sign-ins and passwords */
  policy: AccountPolicy
}

/** What a new account is stored with. */
export type AccountValues = Pick<
  Account,
  'name' | 'slug' | 'externalId' | 'metadata' | 'allowedRoles'
>

/** The account without what only callers need: what actions about its users read. */
export interface AccountSettings
  extends Omit<Account, 'slug' | 'externalId' | 'metadata' | 'policy'> {
  policy: StoredPolicy
}

/** What a list for operators shows of an account. */
export type AccountSummary = Pick<
  Account,
  'id' | 'name' | 'slug' | 'externalId' | 'createdAt' | 'disabledAt'
>

/** The accounts with a user of an e-mail address. */
export interface AccountsOfEmail {
  /** Enabled accounts in which the user is active, oldest first, at most 100 */
  accounts: Account[]
  /** Whether there are more of them */
  hasMore: boolean
}

/** The account settings that a user is validated against. */
export interface AccountRules extends UserRules {
  id: string
}

export const newAccountSchema = z.strictObject({
  name: labelSchema,
  slug: accountNameShape.slug.default(null),
  externalId: accountNameShape.externalId.default(null),
  metadata: textMetadataSchema.default({}),
  allowedRoles: userFields.roles.schema.nullable().default(null),
})
export const updateAccountSchema = z
  .strictObject({ name: labelSchema, ...accountNameShape, metadata: textMetadataSchema })
  .partial()
export type UpdateAccount = z.input<typeof updateAccountSchema>
export type AccountChanges = z.output<typeof updateAccountSchema> & {
  /** Its own members that are undefined stay, too. */
  policy?: PolicyChanges
}
export const renameAccountSchema = newAccountSchema.pick({ name: true })
export type RenameAccount = z.input<typeof renameAccountSchema>
export type NewAccount = z.input<typeof newAccountSchema>

export interface FirstAccount {
  account: Account
  /** The secret of the account's first key: it is shown only this time. */
  apiKey: string
}
