import type { z } from 'zod'
import { boundedText } from '../../base/input/bounded-text.ts'

export interface PasswordPolicy {
  /** In Unicode code points after NFC. @default 6 */
  minLength?: number
  /** Asked before a new password is stored; `true` refuses it with `validation_failed`. @default none */
  isBreached?: (password: string) => Promise<boolean>
}

export const defaultMinPasswordLength = 6
export const maxPasswordLength = 100

/** A password that is to be stored: counted and hashed in NFC, so that every keyboard writes the same one. */
export function newPasswordSchema(minLength: number): z.ZodType<string, string> {
  return boundedText(normalizePassword, minLength, maxPasswordLength).meta({
    minLength,
    maxLength: maxPasswordLength,
    format: 'password',
    examples: ['correct horse battery staple'],
  })
}

/** A password that is to be compared. What the policy asks of new ones must not decide here: policies change. */
export const givenPasswordSchema = boundedText(normalizePassword, 1, 1000).meta({
  minLength: 1,
  maxLength: 1000,
  format: 'password',
  examples: ['correct horse battery staple'],
})

function normalizePassword(text: string): string {
  return text.normalize('NFC')
}
