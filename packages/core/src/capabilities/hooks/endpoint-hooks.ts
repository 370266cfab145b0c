import { z } from 'zod'
import { isPlainObject } from '../../base/input/json.ts'
import { toWire, toWireName } from '../../base/input/wire-names.ts'
import { createSharedLookUp } from '../../base/outbound/create-shared-look-up.ts'
import { UnreadableDocument } from '../../base/outbound/exchange/unreadable-document.ts'
import type { Outbound } from '../../base/outbound/outbound.ts'
import { readJson } from '../../base/outbound/read-json.ts'
import { signMessage } from '../../base/outbound/sign-message.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { HookRefusal } from './hook-refusal.ts'
import type { ClienteleHooks, HookContext, HookEndpoint, HookName } from './hook-types.ts'

/** Claims of 4 KiB, with every character escaped, and some words around them */
const maxAnswerBytes = 32 * 1024

const refusalSchema = z.strictObject({ refuse: z.string().min(1).max(10_000) })
const consentSchema = z.strictObject({})
const claimsSchema = z.strictObject({ claims: z.record(z.string(), z.unknown()) })

interface EndpointServices {
  outbound: Outbound
  newId: () => string
  clock: () => number
}

/** Hooks that ask a URL of the operator's, which gets each question as JSON, signed as Standard Webhooks 1.0. */
function createEndpointHooks(
  { url, secret }: HookEndpoint,
  { outbound, newId, clock }: EndpointServices,
): Required<ClienteleHooks> {
  const lookUp = createSharedLookUp()

  async function ask(
    name: HookName,
    user: ClientUser,
    { accountId, actor, requestId, clientAddress, hookContext, signal }: HookContext,
    more: object,
  ): Promise<unknown> {
    const about = {
      hook: toWireName(name),
      account_id: accountId,
      user: toWire(user),
      ...more,
      actor,
      request_id: requestId,
      client_address: clientAddress ?? null,
      hook_context: hookContext ?? null,
    }
    const body = new TextEncoder().encode(JSON.stringify(about))
    const headers = signMessage([secret], { id: newId(), at: clock(), body })
    const answer = await readJson(url, {
      outbound,
      // Turns of their own: servers that the account has chosen must not delay them.
      accountId: `hooks of ${accountId}`,
      maxBytes: maxAnswerBytes,
      signal,
      // The operator has chosen the URL. Metadata services stay refused.
      allowPrivateAddresses: true,
      lookUp,
      post: { headers, body },
    }).catch((error: unknown) => {
      throw error instanceof UnreadableDocument ? describeService(url, error.message) : error
    })
    const refusal = refusalSchema.safeParse(answer)
    if (refusal.success) throw new HookRefusal(refusal.data.refuse)
    return answer
  }

  async function askConsent(
    name: HookName,
    user: ClientUser,
    context: HookContext,
    more: object,
  ): Promise<void> {
    const answer = await ask(name, user, context, more)
    if (!consentSchema.safeParse(answer).success)
      throw new Error('The answer of the hook is neither {} nor { "refuse": "…" }.')
  }

  return {
    beforeCreate: (user, { origin, ...context }) =>
      askConsent('beforeCreate', user, context, { origin }),
    beforeUpdate: (user, { before, changed, ...context }) =>
      askConsent('beforeUpdate', user, context, {
        before: toWire(before),
        changed: changed.map(toWireName),
      }),
    beforeSignIn: (user, { amr, needsSecondFactor, ...context }) =>
      askConsent('beforeSignIn', user, context, { amr, needs_second_factor: needsSecondFactor }),
    tokenClaims: async (user, { amr, sessionId, impersonatedBy, ...context }) => {
      const session = { amr, session_id: sessionId, impersonated_by: impersonatedBy }
      const answer = await ask('tokenClaims', user, context, session)
      if (isPlainObject(answer) && Object.keys(answer).length === 0) return undefined
      const { success, data } = claimsSchema.safeParse(answer)
      if (!success)
        throw new Error(
          'The answer of the hook is neither {} nor { "claims": { … } } nor { "refuse": "…" }.',
        )
      return data.claims
    },
  }
}

/** A fault of the operator's service: a stack would only show our own code. */
function describeService(url: string, reason: string): Error {
  const fault = new Error(`The service at HOOK_URL (hooks.url), ${new URL(url).origin}: ${reason}.`)
  fault.stack = fault.message
  return fault
}

/** The hooks of the options: functions, or questions to a URL. */
export function hooksOf(
  given: ClienteleHooks | HookEndpoint | undefined,
  services: EndpointServices,
): ClienteleHooks {
  if (given === undefined) return {}
  return 'url' in given ? createEndpointHooks(given, services) : given
}
