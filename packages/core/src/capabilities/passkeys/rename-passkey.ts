import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import { type Passkey, type renamePasskeySchema, toPasskey } from './passkey.ts'
import type { PasskeysServices } from './services.ts'

/** @throws ClienteleError `user_not_found`, `passkey_not_found` */
export async function renamePasskey(
  services: PasskeysServices,
  call: Call,
  userId: string,
  passkeyId: string,
  { name }: z.output<typeof renamePasskeySchema>,
): Promise<Passkey> {
  const { repository, events } = services
  const { user } = await findUser(services, call, userId)
  const event = newEvent(services, call, 'passkey.renamed', userId, { passkeyId }, { user })
  const renamed = await repository.passkeys.rename(call.accountId, userId, passkeyId, name, event)
  if (renamed === undefined) throw new ClienteleError('passkey_not_found')
  events.emit(event)
  return toPasskey(renamed)
}
