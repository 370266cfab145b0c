import {
  accountOfSecret,
  hashAccountSecret,
  isAccountSecret,
} from '../../base/crypto/account-secret.ts'
import { ClienteleError } from '../../base/errors.ts'
import { lowestId } from '../../base/input/id.ts'
import type { SentToken } from '../../base/jwt/sent-token.ts'

const begin = 'cut_'

/** Whether a text wants to be a user's own token, and not a JWT. */
export function isUserTokenText(text: string): boolean {
  return text.startsWith(begin)
}

/** Reads a user's own token: its account, and the hash by which it is found. */
export function readUserToken(text: string): SentToken {
  if (!isAccountSecret('cut', text)) {
    const detail = "This is not a whole token of a user's own, cut_…: its checksum is wrong."
    return { refusal: new ClienteleError('token_malformed', detail) }
  }
  return {
    accountId: accountOfSecret(text) ?? lowestId,
    subject: { by: 'hash', userToken: hashAccountSecret(text) },
  }
}
