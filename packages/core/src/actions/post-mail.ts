import type { Mail } from '../mail.ts'
import type { Services } from './services.ts'

/** Hands a mail to the host beside the request: neither its time nor its failure shows in the answer. */
export function postMail({ sendMail, logger }: Services, mail: Mail): void {
  const { kind, accountId, user } = mail
  if (sendMail === undefined) {
    logger.warn({ kind, accountId }, 'A mail was not sent: there is no sendMail.')
    return
  }
  setImmediate(() => {
    sendMail(mail).catch((error: unknown) =>
      logger.error({ kind, accountId, userId: user.id, error }, 'A mail could not be sent.'),
    )
  })
}
