import type { PasswordHasher } from './password-hasher.ts'
import type { PasswordPolicy } from './password-policy.ts'

/** The services that this room needs. */
export type PasswordsServices = {
  passwords: PasswordHasher
  passwordPolicy: PasswordPolicy
}
