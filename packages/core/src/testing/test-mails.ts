import type { Mail, SendMail } from '../capabilities/users/mail.ts'

/** An e-mail that a user would have received. */
export type TestMail = Mail & {
  /** The code of the e-mail, or its token if it has no code */
  secret: string
}

/** The e-mails so far. They are sent after the response: both methods wait for those under way. */
export interface TestMails {
  /** E-mails to an address, or all, newest last. */
  list(to?: string): Promise<TestMail[]>
  /**
   * The newest e-mail to an address.
   *
   * @throws Error when there is none
   */
  last(to: string): Promise<TestMail>
}

/** Collects e-mails, and passes them on to the host's own `sendMail`, if there is one. */
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
      const secret = 'code' in mail ? mail.code : mail.token
      caught.push({ ...mail, secret })
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
