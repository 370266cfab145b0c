import type { Actor } from '../../base/call/call.ts'
import type { ClientUser } from '../../user-model/client-user.ts'

/** The request that a hook is about. */
export interface HookContext {
  accountId: string
  /** Who acts: an API key, the user, the operator */
  actor: Actor
  /** As in log lines, events and the response */
  requestId: string
  /** The end user's address, if the host passes it */
  clientAddress: string | undefined
  /**
   * The text that the caller sends along for the hook, such as the token of a solved CAPTCHA: the header
   * `Clientele-Hook-Context`, or `hookContext` of the call
   */
  hookContext: string | undefined
  /** Aborts when the hook is late: pass it to `fetch` */
  signal: AbortSignal
}

/** The request that creates a user. */
export interface BeforeCreateContext extends HookContext {
  /**
   * `create`: a caller gives the user. `invitation`: so that the user chooses a password. `id_token`: a first sign-in.
   * `import`: a record of many
   */
  origin: 'create' | 'invitation' | 'id_token' | 'import'
}

/** The request that changes a user. */
export interface BeforeUpdateContext extends HookContext {
  /** The user as stored now */
  before: ClientUser
  /** The names of the members that change; among them `password`, `emailVerified` of an import, and what SCIM sets (`userName`, …) */
  changed: string[]
}

/** The sign-in of a user who has shown everything, or an ID token. */
export interface BeforeSignInContext extends HookContext {
  /** What was shown: authentication methods (RFC 8176) */
  amr: string[]
  /** Whether an ID token creates or links the user, and a second factor follows: then it is asked again after that */
  needsSecondFactor: boolean
}

/** The session that a token is for. */
export interface TokenClaimsContext extends HookContext {
  /** What was shown: authentication methods (RFC 8176) */
  amr: string[]
  sessionId: string
  /** Who acts as the user; null: the user */
  impersonatedBy: string | null
}

/**
 * Functions of yours that Clientele asks before it acts. Each may take three seconds. `before…` functions let it happen
 * by returning nothing, and refuse it by throwing a `HookRefusal`. One that fails, is late or returns a value is 503
 * `hook_unavailable`, and nothing is written. They run outside of transactions. None gets a password.
 *
 * @example
 * import { createClientele, HookRefusal } from '@clientele/core'
 *
 * const clientele = await createClientele({
 *   repository,
 *   hooks: {
 *     beforeCreate: ({ email }) => {
 *       if (!email.endsWith('@example.com')) throw new HookRefusal('Only addresses of example.com may register.')
 *     },
 *     tokenClaims: ({ roles }) => ({ permissions: roles.includes('editor') ? ['write'] : [] }),
 *   },
 * })
 */
export interface ClienteleHooks {
  /**
   * Before a user is created: by a call, by an invitation, by a first sign-in with an ID token, by an import.
   *
   * @param user as it is to be stored
   */
  beforeCreate?(user: ClientUser, context: BeforeCreateContext): void | Promise<void>
  /**
   * Before a user is changed by a caller (replace, patch, activate, import) or gets another password in place of an
   * expired one. Taking access away does not ask: deactivation alone, ending sessions, deletion, erasure.
   *
   * @param user as it is to be stored; `updatedAt` is that of now
   */
  beforeUpdate?(user: ClientUser, context: BeforeUpdateContext): void | Promise<void>
  /** Before a session is opened, after all factors were shown, and before an ID token creates or links a user. */
  beforeSignIn?(user: ClientUser, context: BeforeSignInContext): void | Promise<void>
  /**
   * Gives claims that are added to each token of the user: at a sign-in, at each refresh, for an impersonation. At most
   * 4 KiB as JSON; claims of RFC 7519 and those of Clientele's tokens are refused: 500 `hook_failed`, and no token.
   */
  tokenClaims?(
    user: ClientUser,
    context: TokenClaimsContext,
  ): Record<string, unknown> | undefined | Promise<Record<string, unknown> | undefined>
}

/** A service of yours that is asked in place of functions. */
export interface HookEndpoint {
  /** Gets each question by POST, signed as Standard Webhooks */
  url: string
  /** `whsec_` and 24 to 64 bytes in base64 */
  secret: string
}

export type HookName = keyof ClienteleHooks
