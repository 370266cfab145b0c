import type { Mail } from '@clientele/core'

/** A mail on its way. */
export interface Letter {
  /** The same at every attempt: whoever gets it twice can tell */
  id: string
  createdAt: Date
  mail: Mail
}

/** What takes mails out of the process. */
export interface MailSender {
  /** Resolves when somebody else has the mail. @throws MailFailure */
  deliver(letter: Letter): Promise<void>
  /** Says at the start whether it would work. @throws MailFailure */
  check?(): Promise<void>
  close(): void
}

/** A mail that was not taken. Its message has nothing of the mail: it is logged. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure'
  /** Whether another attempt would end the same way */
  readonly isFinal: boolean

  constructor(message: string, { isFinal = false }: { isFinal?: boolean } = {}) {
    super(message)
    this.isFinal = isFinal
  }
}
