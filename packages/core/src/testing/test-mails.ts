import type { Mail, SendMail } from '../capabilities/users/mail.ts'

/** A mail that a user would have got. */
export type TestMail = Mail & {
  /** The user's address at that time */
  to: string
  /** What the mail is about: the code or the token */
  secret: string
}

/** The mails so far. Mails go out after the answer: both methods wait for those that are on their way. */
export interface TestMails {
  /** Mails to an address, or all, the newest last. */
  list(to?: string): Promise<TestMail[]>
  /**
   * The newest mail to an address.
   *
   * @throws Error when there is none
   */
  last(to: string): Promise<TestMail>
}

/** Catches mails, and hands them on to the host's own `sendMail`, where it has one. */
export function createTestMails(
  settle: () => Promise<void>,
  forward: SendMail | undefined,
): { mails: TestMails; catchMail: SendMail } {
  const caught: TestMail[] = []
  const list = async (to?: string): Promise<TestMail[]> => {
    await settle()
    return caught.filter((mail) => to === undefined || mail.to === to)
  }
  return {
    catchMail: async (mail) => {
      const secret = mail.kind === 'two_factor_code' ? mail.code : mail.token
      caught.push({ ...mail, to: mail.user.email, secret })
      await forward?.(mail)
    },
    mails: {
      list,
      last: async (to) => {
        const mail = (await list(to)).at(-1)
        if (mail === undefined) throw new Error(`No mail was sent to ${to}.`)
        return mail
      },
    },
  }
}
