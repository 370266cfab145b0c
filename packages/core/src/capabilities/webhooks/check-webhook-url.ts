import type { Call } from '../../base/call/call.ts'
import { remainAdmitted } from '../../base/call/while-admitted.ts'
import { invalidInput } from '../../base/errors.ts'
import { findHostProblem } from '../../base/outbound/look-up-host.ts'
import { howToAllow } from '../../base/outbound/outbound-addresses.ts'
import { findUrlProblem, hostOf } from '../../base/outbound/outbound-url.ts'
import type { WebhooksServices } from './services.ts'

/** The timeout for looking up a name, in milliseconds; each delivery looks it up again. */
const lookUpMs = 2_000

/** Lower ports belong to other services (mail, shells, portmappers): an account could make us talk to them. */
const firstOpenPort = 1024

/** Whether a URL has the port of https, or one without a standard service. */
function isPortAllowed({ port }: URL): boolean {
  return port === '' || Number(port) >= firstOpenPort
}

/** @throws ClienteleError `validation_failed` for a forbidden URL; what `stayAdmitted` throws after a long look-up */
export async function checkWebhookUrl(
  { webhookDelivery: { allowPrivateAddresses } }: WebhooksServices,
  call: Call,
  text: string,
): Promise<void> {
  const refuse = (message: string): never => {
    throw invalidInput([{ pointer: '/url', code: 'url', message }])
  }
  const problem = findUrlProblem(text, allowPrivateAddresses)
  if (problem !== undefined) refuse(problem)
  if (!allowPrivateAddresses && !isPortAllowed(new URL(text)))
    refuse(`must have the port 443, or a port from ${firstOpenPort} on ${howToAllow}`)
  const signal = AbortSignal.timeout(lookUpMs)
  const options = { accountId: call.accountId, allowPrivateAddresses, signal }
  const address = await findHostProblem(hostOf(new URL(text)), options)
  if (address !== undefined) refuse(`must not lead to ${address}`)
  await remainAdmitted(call)
}
