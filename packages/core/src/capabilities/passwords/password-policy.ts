import type { z } from 'zod'
import { boundedText } from '../../base/input/bounded-text.ts'
import { secretMark } from '../../base/input/secret-mark.ts'

export interface PasswordPolicy {
  /** In Unicode code points after NFC. @default 6 */
  minLength?: number
  /** Called before a new password is stored; `true` refuses it with `validation_failed`. @default none */
  isBreached?: (password: string) => Promise<boolean>
}

export const defaultMinPasswordLength = 6
export const maxPasswordLength = 100

/** A new password: counted and hashed in NFC, so that every keyboard produces the same text. */
export function newPasswordSchema(minLength: number): z.ZodType<string, string> {
  return boundedText(normalizePassword, minLength, maxPasswordLength).meta({
    minLength,
    maxLength: maxPasswordLength,
    ...secretMark,
    examples: ['correct horse battery staple'],
  })
}

/** A password to compare. The policy for new passwords must not apply here, because policies change. */
export const givenPasswordSchema = boundedText(normalizePassword, 1, 1000).meta({
  minLength: 1,
  maxLength: 1000,
  ...secretMark,
  examples: ['correct horse battery staple'],
})

function normalizePassword(text: string): string {
  return text.normalize('NFC')
}
