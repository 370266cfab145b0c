import type { Call } from '../../base/call/call.ts'
import { invalidInput } from '../../base/errors.ts'
import { findHostProblem } from '../../base/outbound/look-up-host.ts'
import { howToAllow } from '../../base/outbound/outbound-addresses.ts'
import { findUrlProblem, hostOf } from '../../base/outbound/outbound-url.ts'
import type { WebhooksServices } from './services.ts'

/** How long a name may take to be looked up, in milliseconds; each attempt asks again. */
const lookUpMs = 2_000

/** Below are the ports of other services (mail, shells, databases' portmappers), which an account could have us talk to. */
const firstOpenPort = 1024

/** The port of https, or one that no service of a system has by itself. */
function isPortAllowed({ port }: URL): boolean {
  return port === '' || Number(port) >= firstOpenPort
}

/** @throws ClienteleError `validation_failed` for an address that nothing is sent to */
export async function checkWebhookUrl(
  { webhookDelivery: { allowPrivateAddresses } }: WebhooksServices,
  { accountId }: Call,
  text: string,
): Promise<void> {
  const refuse = (message: string): never => {
    throw invalidInput([{ pointer: '/url', code: 'url', message }])
  }
  const problem = findUrlProblem(text, allowPrivateAddresses)
  if (problem !== undefined) refuse(problem)
  if (!allowPrivateAddresses && !isPortAllowed(new URL(text)))
    refuse(`must have the port 443, or one of ${firstOpenPort} and above ${howToAllow}`)
  const signal = AbortSignal.timeout(lookUpMs)
  const options = { accountId, allowPrivateAddresses, signal }
  const address = await findHostProblem(hostOf(new URL(text)), options)
  if (address !== undefined) refuse(`must not lead to ${address}`)
}
