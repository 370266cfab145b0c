import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { renewInvitation } from '../invitations/send-invitation.ts'
import type { ImportPolicy } from './import-policy.ts'
import type { ImportError } from './import-record.ts'
import type { PreparedUser } from './prepare-import.ts'
import type { ImportExportServices } from './services.ts'

/** How many invitations are sent at once */
const atOnce = 16

/** The result of inviting a batch's users */
export interface Invited {
  invited: number
  uninvited: ImportError[]
}

/**
 * Invites the users of a batch, to the end: the batch is stored, and an import that goes on begins after it. An invitation
 * that fails stops no other.
 */
export async function inviteImported(
  services: ImportExportServices,
  call: Call,
  users: readonly PreparedUser[],
  { locale }: Pick<ImportPolicy, 'locale'>,
): Promise<Invited> {
  const uninvited: ImportError[] = []
  for (let start = 0; start < users.length; start += atOnce) {
    const refused = await Promise.all(
      users.slice(start, start + atOnce).map((user) => invite(services, call, user, locale)),
    )
    uninvited.push(...refused.filter((error) => error !== undefined))
  }
  return { invited: users.length - uninvited.length, uninvited }
}

/** Returns why the user is not invited. */
async function invite(
  services: ImportExportServices,
  call: Call,
  { line, user }: PreparedUser,
  locale: string | undefined,
): Promise<ImportError | undefined> {
  const { sendMail, logger } = services
  const { accountId, requestId } = call
  try {
    const mail = await renewInvitation(services, call, user.id, locale)
    await sendMail?.(mail)
    return undefined
  } catch (error) {
    if (error instanceof ClienteleError) return { line, code: error.code, message: error.detail }
    logger.error({ accountId, requestId, userId: user.id, error }, 'A mail could not be sent.')
    return { line, code: 'mail_failed', message: 'The mail could not be sent: invite them again.' }
  }
}
