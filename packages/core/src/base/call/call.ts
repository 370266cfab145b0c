import { z } from 'zod'
import { invalidInput } from '../errors.ts'
import { labelSchema } from '../input/bounded-text.ts'
import { readId } from '../input/call-arguments.ts'
import { idSchema } from '../input/id.ts'
import { parseArgument } from '../input/input.ts'

export const actorTypes = ['api_key', 'user', 'operator', 'system'] as const

/** Who performs an action. */
export interface Actor {
  /**
   * `api_key`: a request with an API key. `user`: a user with their own password, code or token. `operator`: the
   * operator of the service, on the command line or by an in-process call. `system`: the service itself.
   */
  type: (typeof actorTypes)[number]
  /** The id of the API key or the user; null for the operator and the system */
  id: string | null
}

/** The account, the actor and the request of an action. Every action takes it first. */
export interface Call {
  accountId: string
  actor: Actor
  /** Identifies the request in log lines, events and the response */
  requestId: string
  /** The caller's address, as the host passes it; rate limits count by it, too. Undefined: not known */
  clientAddress: string | undefined
  /** What the caller sends along for the host's hooks; absent: nothing */
  hookContext?: string | undefined
  /**
   * Authenticates the caller of a request anew, every second at most, and throws when the caller may do no more. It is called
   * where a request has waited, after each hook, and before each batch of an import is stored. Absent: not a request
   */
  stayAdmitted?: (() => Promise<void>) | undefined
  /** Whether the caller waits for no response any more. Absent: it does */
  isGone?: (() => boolean) | undefined
  /** The account's rules for users, when they were read together with the caller; undefined: not read yet */
  rules?: UserRules | undefined
  /** Makes a repeat of the request harmless, when it has an `Idempotency-Key` and the operation supports it */
  idempotency?: Idempotency | undefined
}

/** What an account demands of its users, besides what every user must have */
export interface UserRules {
  /** Null: any roles */
  allowedRoles: string[] | null
  /** Whether a new user needs a password */
  passwordRequired: boolean
  /** The fewest characters of a new password; null: as everywhere */
  minPasswordLength: number | null
}

/** The `Idempotency-Key` of a request */
export interface Idempotency {
  /** 1 to 255 visible characters of ASCII */
  key: string
  /** Set when the request is a repeat: its response is that of the first request */
  isReplayed: boolean
}

/**
 * The first argument of `Clientele`'s methods: the account's id, or an object with more. With the id alone the operator
 * is the actor and a request id is generated.
 */
export type CallInput =
  | string
  | {
      accountId: string
      /** The actor that events show. @default the operator */
      actor?: Actor | undefined
      /** The `requestId` in log lines and events: 1 to 200 visible characters of ASCII. @default generated */
      requestId?: string | undefined
      /** The end user's address, which the host must have verified: failed sign-ins count by it, too. @default none */
      clientAddress?: string | undefined
      /** A text that your hooks get, such as the token of a solved CAPTCHA: 1 to 4,096 visible characters of ASCII. @default none */
      hookContext?: string | undefined
      /**
       * Makes a repeat harmless: for 24 hours a call with the same key and input gets the first call's result and does
       * nothing. 1 to 255 visible characters of ASCII. Only methods that say so support it. @default none
       */
      idempotencyKey?: string | undefined
    }

/** The call of an action that belongs to no account: creating or listing accounts, rotating all signing keys. */
export type Caller = Pick<Call, 'actor' | 'requestId'>

/** The first, optional argument of methods that belong to no account. */
export interface CallerInput {
  /** The actor that events show. @default the operator */
  actor?: Actor | undefined
  /** The `requestId` in log lines and events: 1 to 200 visible characters of ASCII. @default generated */
  requestId?: string | undefined
}

export const operator: Actor = { type: 'operator', id: null }
export const system: Actor = { type: 'system', id: null }

const requestIdPattern = /^[\x21-\x7e]{1,200}$/
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/
const hookContextPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/
export const callerSchema = z.strictObject({
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
  hookContext: z
    .string()
    .regex(
      hookContextPattern,
      'must have 1 to 4,096 visible characters of ASCII, or spaces between them',
    )
    .optional(),
  idempotencyKey: z
    .string()
    .regex(idempotencyKeyPattern, 'must have 1 to 255 visible characters of ASCII')
    .optional(),
})

/** Whether a text is a valid request id. */
export function isRequestId(text: string): boolean {
  return requestIdPattern.test(text)
}

/** Whether a text may be sent along for hooks. */
export function isHookContext(text: string): boolean {
  return hookContextPattern.test(text)
}

/** Whether a text is a valid `Idempotency-Key`. */
export function isIdempotencyKey(text: string): boolean {
  return idempotencyKeyPattern.test(text)
}

/**
 * Makes a `Call` from the host's first argument.
 *
 * @throws ClienteleError `validation_failed`
 */
export function readCall({ newRequestId }: { newRequestId: () => string }, input: CallInput): Call {
  if (typeof input !== 'object' || input === null) {
    const accountId = readId({ accountId: input })
    return { accountId, actor: operator, requestId: newRequestId(), clientAddress: undefined }
  }
  if (!('accountId' in input)) {
    const advice =
      'id' in input ? 'pass account.id' : "it is the first argument, before the method's own"
    throw invalidInput([
      { pointer: '/call', code: 'type', message: `must be the id of an account: ${advice}` },
    ])
  }
  const { accountId, actor, requestId, clientAddress, hookContext, idempotencyKey } = parseArgument(
    'call',
    callSchema,
    input,
  )
  return {
    accountId,
    actor: actor ?? operator,
    requestId: requestId ?? newRequestId(),
    clientAddress,
    ...(hookContext !== undefined && { hookContext }),
    ...(idempotencyKey !== undefined && {
      idempotency: { key: idempotencyKey, isReplayed: false },
    }),
  }
}

/**
 * As `readCall`, for actions that belong to no account. Without an argument the operator is the actor.
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

/** The same call, after the user has proven who they are. */
export function byUser(call: Call, userId: string): Call {
  return { ...call, actor: { type: 'user', id: userId } }
}

/** The actor and request of an event. */
export type Origin = Pick<Call, 'accountId' | 'actor' | 'requestId'>

export function originOf({ accountId, actor, requestId }: Call): Origin {
  return { accountId, actor, requestId }
}
