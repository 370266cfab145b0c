import type { Call } from '../../base/call/call.ts'
import type { BaseServices } from '../../base/services.ts'
import type { Mail, SendMail } from './mail.ts'

/**
 * Takes a place in the queue of mails, does the work, and sends the mails that it returns, each whatever becomes of the
 * others. What is stored or counted for the mails belongs to the work.
 *
 * @throws ClienteleError `overloaded`; any error of the work, and then no mail is sent
 */
export async function mailAfter<T>(
  { tasks }: Pick<BaseServices, 'tasks'>,
  { accountId, requestId }: Call,
  { kind, sendMail }: { kind: Mail['kind']; sendMail: SendMail },
  work: () => Promise<{ result: T; mails: Mail[] }>,
): Promise<T> {
  const { result } = await tasks.start(
    work,
    ({ mails }) => sendAll(mails, sendMail),
    { kind, accountId, requestId },
    'A mail could not be sent.',
  )
  return result
}

async function sendAll(mails: readonly Mail[], sendMail: SendMail): Promise<void> {
  const sent = await Promise.allSettled(mails.map(async (mail) => sendMail(mail)))
  const errors: unknown[] = sent.flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  if (errors.length > 1) throw new AggregateError(errors, 'Several mails could not be sent.')
  if (errors.length === 1) throw errors[0]
}
