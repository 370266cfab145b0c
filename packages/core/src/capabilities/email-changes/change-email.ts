import type { Call } from '../../base/call/call.ts'
import { ClienteleError, type HttpErrorCode } from '../../base/errors.ts'
import type { Profile } from '../../user-model/client-user.ts'
import { mapProfile } from '../../user-model/fields.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import { changeUser } from '../users/change-user.ts'
import type { UserStore } from '../users/store.ts'
import type { EmailChangesServices } from './services.ts'
import type { ChangedEmail } from './store.ts'

interface EmailChange {
  userId: string
  /** The address that the user gets */
  email: string
  /** The address that the user must have now */
  formerEmail?: string
  write(replacement: Parameters<UserStore['replace']>): Promise<ChangedEmail | HttpErrorCode>
}

/**
 * Gives a user another address by a mailed token, as any change of a user: hooks are asked about the state that is
 * written, outside of the transaction, and concurrent changes of other members are kept.
 *
 * @throws ClienteleError `email_change_invalid`, `email_taken`, `overloaded`; `refused_by_hook`, `hook_unavailable`
 */
export async function changeEmail(
  services: EmailChangesServices,
  call: Call,
  { userId, email, formerEmail, write }: EmailChange,
): Promise<void> {
  let told: ChangedEmail['told'] = []
  try {
    await changeUser(services, call, userId, null, async ({ user }) => {
      if (formerEmail !== undefined && user.email !== formerEmail)
        throw new ClienteleError('email_change_invalid')
      const present = toClientUser(user)
      const profile: Profile = { ...mapProfile((name) => present[name]), email }
      const further = {
        // Also if the user has this address already: what the token ends is to end.
        changed: ['email' as const],
        replace: async (...[accountId, id, changes, ...rest]: Parameters<UserStore['replace']>) => {
          const kept = { ...changes, keepsEmailChanges: true }
          const outcome = await write([accountId, id, kept, ...rest])
          if (typeof outcome === 'string') return outcome
          told = outcome.told
          return outcome.changed
        },
      }
      return { profile, isActive: undefined, passwordHash: undefined, further }
    })
  } catch (error) {
    const isGone = error instanceof ClienteleError && error.code === 'user_not_found'
    throw isGone ? new ClienteleError('email_change_invalid') : error
  }
  for (const event of told) services.events.emit(event)
}
