import { z } from 'zod'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { userFields } from '../../user-model/fields.ts'
import type { PasskeySettings } from './passkey-settings.ts'

/** A tenant: a customer of the API, who owns API keys and client users. */
export interface Account {
  id: string
  name: string
  /** If present, users of the account can only have these roles. */
  allowedRoles: string[] | null
  createdAt: Date
  /** Since when its keys and its users' tokens are refused; null: the account is enabled */
  disabledAt: Date | null
  /** Its passkey settings; null: not configured, so that it has no passkeys */
  passkeys: PasskeySettings | null
}

/** The input for a new account. */
export type AccountValues = Pick<Account, 'name' | 'allowedRoles'>

/** The account settings that a user is validated against. */
export type AccountRules = Pick<Account, 'id' | 'allowedRoles'>

export const newAccountSchema = z.strictObject({
  name: labelSchema,
  allowedRoles: userFields.roles.schema.nullable().default(null),
})
export const renameAccountSchema = newAccountSchema.pick({ name: true })
export type RenameAccount = z.input<typeof renameAccountSchema>
export type NewAccount = z.input<typeof newAccountSchema>

export interface FirstAccount {
  account: Account
  /** The secret of the account's first key: it is shown only this time. */
  apiKey: string
}
