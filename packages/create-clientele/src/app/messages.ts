import type { ClienteleError } from '@clientele/core'

const messages: Partial<Record<ClienteleError['code'], string>> = {
  email_taken: 'There is already a user with this e-mail address: sign in instead.',
  credentials_invalid: 'The e-mail address or the password is wrong.',
  two_factor_code_invalid: 'The code is wrong, or it was used before.',
  challenge_invalid: 'Too much time has passed, or too many codes were wrong: sign in again.',
  two_factor_already_enrolled: 'You already sign in with an authenticator app.',
  two_factor_not_enrolled: 'The key has expired: begin again.',
  rate_limited: 'Too many attempts: wait a few minutes, then try again.',
}

const fields: Record<string, string> = {
  '/name': 'The name',
  '/email': 'The e-mail address',
  '/password': 'The password',
  '/code': 'The code',
}

/** Says to a visitor what Clientele refused: its own messages are for programmers. */
export function messageOf({ code, issues }: ClienteleError): string {
  const faults = issues.flatMap(({ pointer, code: rule, message }) => {
    if (pointer === '/email' && rule === 'format') return 'Type a full e-mail address.'
    const field = fields[pointer]
    return field === undefined ? [] : `${field} ${message}.`
  })
  if (faults.length > 0) return faults.join(' ')
  return messages[code] ?? 'This did not work. Check what you typed, and try again.'
}
