import { english } from '../../english.ts'

const names: Readonly<Record<string, string>> = english.user.methods

/** The sign-in method in words: `amr` of a session (RFC 8176). */
export function nameMethod(amr: unknown): string {
  const text = String(amr)
  return names[text] ?? text
}
