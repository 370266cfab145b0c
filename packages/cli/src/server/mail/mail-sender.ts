import type { Mail } from '@clientele/core'

/** A mail on its way. */
export interface Letter {
  /** The same at every attempt, so that a receiver recognises duplicates */
  id: string
  createdAt: Date
  /** The same on the clock of `performance`, which no correction of the time changes */
  queuedAt: number
  mail: Mail
}

/** Delivers mails to a mail server or a webhook. */
export interface MailSender {
  /** Resolves when the mail server or the webhook has accepted the mail. @throws MailFailure */
  deliver(letter: Letter): Promise<void>
  /** Checks the connection at the start. @throws MailFailure */
  check?(): Promise<void>
  close(): void
}

/** A mail was not accepted. The message contains nothing of the mail, because it is logged. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure'
  /** Whether another attempt would end the same way */
  readonly isFinal: boolean

  constructor(message: string, { isFinal = false }: { isFinal?: boolean } = {}) {
    super(message)
    this.isFinal = isFinal
  }
}
