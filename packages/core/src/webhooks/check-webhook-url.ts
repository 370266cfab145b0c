import type { Call } from '../call.ts'
import { invalidInput } from '../errors.ts'
import { findHostProblem } from '../outbound/look-up-host.ts'
import { findUrlProblem, hostOf } from '../outbound/outbound-url.ts'
import type { Services } from '../services.ts'

/** How long a name may take to be looked up, in milliseconds; each attempt asks again. */
const lookUpMs = 2_000

/** @throws ClienteleError `validation_failed` for an address that nothing is sent to */
export async function checkWebhookUrl(
  { webhookDelivery: { allowPrivateAddresses } }: Services,
  { accountId }: Call,
  text: string,
): Promise<void> {
  const refuse = (message: string): never => {
    throw invalidInput([{ pointer: '/url', code: 'url', message }])
  }
  const problem = findUrlProblem(text, allowPrivateAddresses)
  if (problem !== undefined) refuse(problem)
  const signal = AbortSignal.timeout(lookUpMs)
  const options = { accountId, allowPrivateAddresses, signal }
  const address = await findHostProblem(hostOf(new URL(text)), options)
  if (address !== undefined) refuse(`must not lead to ${address}`)
}
