import { z } from 'zod'
import { labelSchema } from '../input/bounded-text.ts'
import { readId } from '../input/call-arguments.ts'
import { idSchema } from '../input/id.ts'
import { parseArgument } from '../input/input.ts'

export const actorTypes = ['api_key', 'user', 'operator', 'system'] as const

/** Who does something. */
export interface Actor {
  /**
   * `api_key`: a request with an API key. `user`: a user, by its own password, code or token. `operator`: whoever runs
   * the service, by the command line or a call in process. `system`: the service itself.
   */
  type: (typeof actorTypes)[number]
  /** The id of the API key or the user; null where there is none */
  id: string | null
}

/** In whose account something is done, by whom, and for which request. Every action takes it first. */
export interface Call {
  accountId: string
  actor: Actor
  /** What log lines, events and the response have in common */
  requestId: string
  /** The caller's address, only where the host vouches for it: it is one more thing that limits count by */
  clientAddress: string | undefined
  /** The roles that the account allows, where the caller was found together with them; undefined: not known yet */
  allowedRoles?: string[] | null | undefined
  /** What makes a repeat of the request harmless, where it came with a key and the operation takes one */
  idempotency?: Idempotency | undefined
}

/** The `Idempotency-Key` of a request */
export interface Idempotency {
  /** 1 to 255 visible characters of ASCII */
  key: string
  /** Set when the request turns out to be a repeat: the answer is that of the first */
  isReplayed: boolean
}

/**
 * What methods of `Clientele` take first: the account's id, or an object that says more. Of an id alone the actor is
 * the operator, and the request's id is made.
 */
export type CallInput =
  | string
  | {
      accountId: string
      /** Who does it, for events. @default the operator */
      actor?: Actor | undefined
      /** What log lines and events have as `requestId`: 1 to 200 visible characters of ASCII. @default made */
      requestId?: string | undefined
      /** The end user's address, where the host vouches for it: failed sign-ins count by it, too. @default none */
      clientAddress?: string | undefined
      /**
       * Makes a repeat harmless: for 24 hours a call with the same key and the same input is answered as the first was, and
       * does nothing. 1 to 255 visible characters of ASCII. Only methods that say so take it. @default none
       */
      idempotencyKey?: string | undefined
    }

/** Who does what stands in no account: makes one, lists them all, changes the keys that sign. */
export type Caller = Pick<Call, 'actor' | 'requestId'>

/** What methods that are about no account take first, or leave out. */
export interface CallerInput {
  /** Who does it, for events. @default the operator */
  actor?: Actor | undefined
  /** What log lines and events have as `requestId`: 1 to 200 visible characters of ASCII. @default made */
  requestId?: string | undefined
}

export const operator: Actor = { type: 'operator', id: null }
export const system: Actor = { type: 'system', id: null }

const requestIdPattern = /^[\x21-\x7e]{1,200}$/
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/
const callerSchema = z.strictObject({
  actor: z
    .strictObject({
      type: z.enum(actorTypes),
      id: labelSchema.nullable(),
    })
    .optional(),
  requestId: z
    .string()
    .regex(requestIdPattern, 'must have 1 to 200 visible characters of ASCII')
    .optional(),
})
const callSchema = callerSchema.extend({
  accountId: idSchema,
  clientAddress: z.string().optional(),
  idempotencyKey: z
    .string()
    .regex(idempotencyKeyPattern, 'must have 1 to 255 visible characters of ASCII')
    .optional(),
})

/** Whether a text can be the id of a request. */
export function isRequestId(text: string): boolean {
  return requestIdPattern.test(text)
}

/** Whether a text can be an `Idempotency-Key`. */
export function isIdempotencyKey(text: string): boolean {
  return idempotencyKeyPattern.test(text)
}

/**
 * Makes a call of what a host passed.
 *
 * @throws ClienteleError `validation_failed`
 */
export function readCall({ newRequestId }: { newRequestId: () => string }, input: CallInput): Call {
  if (typeof input !== 'object' || input === null) {
    const accountId = readId({ accountId: input })
    return { accountId, actor: operator, requestId: newRequestId(), clientAddress: undefined }
  }
  const { accountId, actor, requestId, clientAddress, idempotencyKey } = parseArgument(
    'call',
    callSchema,
    input,
  )
  return {
    accountId,
    actor: actor ?? operator,
    requestId: requestId ?? newRequestId(),
    clientAddress,
    ...(idempotencyKey !== undefined && {
      idempotency: { key: idempotencyKey, isReplayed: false },
    }),
  }
}

/**
 * The same for what is about no account. Where nothing was passed, the operator does it.
 *
 * @throws ClienteleError `validation_failed`
 */
export function readCaller(
  { newRequestId }: { newRequestId: () => string },
  input: CallerInput = {},
): Caller {
  const { actor, requestId } = parseArgument('call', callerSchema, input)
  return { actor: actor ?? operator, requestId: requestId ?? newRequestId() }
}

/** The same call, once it is known whose password, code or token it came with. */
export function byUser(call: Call, userId: string): Call {
  return { ...call, actor: { type: 'user', id: userId } }
}

/** What events say of a call. */
export type Origin = Pick<Call, 'accountId' | 'actor' | 'requestId'>

export function originOf({ accountId, actor, requestId }: Call): Origin {
  return { accountId, actor, requestId }
}
