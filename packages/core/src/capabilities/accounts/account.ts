import { z } from 'zod'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { userFields } from '../../user-model/fields.ts'
import type { PasskeySettings } from './passkey-settings.ts'

/** A customer of the API: owns API keys and client users. A tenant. */
export interface Account {
  id: string
  name: string
  /** When present, users of the account can have these roles only. */
  allowedRoles: string[] | null
  createdAt: Date
  /** Since when its keys and its users' tokens are refused; null: they are not */
  disabledAt: Date | null
  /** What its users' passkeys are for; null: nobody has said, and there are none */
  passkeys: PasskeySettings | null
}

/** What a new account is made of. */
export type AccountValues = Pick<Account, 'name' | 'allowedRoles'>

/** What the rules for a user depend on. */
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
  /** The secret of the account's first key: this is the only time that it can be read. */
  apiKey: string
}
