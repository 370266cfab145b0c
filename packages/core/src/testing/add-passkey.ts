import { operator } from '../base/call/call.ts'
import { newEvent } from '../capabilities/events/new-event.ts'
import { findUser } from '../capabilities/users/find-user.ts'
import type { Services } from '../clientele/create-services.ts'

const rpId = 'localhost'
const settings = { rpId, rpName: 'Test', origins: ['http://localhost'], requireToken: false }

/** Stores a passkey without an authenticator, for routes that name one. Returns its id. */
export async function addPasskey(
  services: Services,
  accountId: string,
  userId: string,
): Promise<string> {
  const { repository, newId, newRequestId, clock } = services
  const call = { accountId, actor: operator, requestId: newRequestId(), clientAddress: undefined }
  await repository.passkeys.configure(accountId, settings, false, (account) =>
    newEvent(services, call, 'account.updated', accountId, { account }),
  )
  const { user } = await findUser(services, call, userId)
  const id = newId()
  const use = 'first_factor'
  const passkey = {
    ...({ id, userId, rpId, use, name: 'Passkey' } as const),
    ...{ credentialId: Buffer.from(id).toString('base64url'), publicKey: '', counter: 0 },
    ...{ transports: ['internal'], isSynced: false, backedUp: false, createdAt: clock() },
  }
  const event = newEvent(
    services,
    call,
    'passkey.enrolled',
    userId,
    { passkeyId: id, use },
    { user },
  )
  const subject = await repository.users.findSubject(accountId, clock(), {
    userId,
    sessionId: null,
  })
  const tokensNotBefore = subject?.tokensNotBefore ?? 0
  const write = { maximum: 1, tokensNotBefore, session: undefined, event }
  await repository.passkeys.enrol(accountId, passkey, write)
  return id
}
