import type { PasswordHasher } from './password-hasher.ts'
import type { PasswordPolicy } from './password-policy.ts'

/** What the actions of this room work with. */
export type PasswordsServices = {
  passwords: PasswordHasher
  passwordPolicy: PasswordPolicy
}
