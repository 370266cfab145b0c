import type { Call } from '../../base/call/call.ts'
import type { PasswordsServices } from './services.ts'

/**
 * Hashes a new password for a caller, who is authenticated anew if it had to wait for its turn.
 *
 * @throws ClienteleError `overloaded`; what `stayAdmitted` throws
 */
export async function hashFor(
  { passwords }: PasswordsServices,
  call: Call,
  password: string,
): Promise<string> {
  const hash = await passwords.hash(call.accountId, password)
  await call.stayAdmitted?.()
  return hash
}
