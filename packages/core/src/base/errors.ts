/** Why a token is not valid. */
const tokenErrors = {
  token_malformed: 'The token is not a well-formed JWT.',
  token_signature_invalid: "The token's signature does not verify.",
  token_expired: 'The token has expired.',
  token_not_yet_valid: 'The token is not valid yet.',
  token_claims_invalid: "One of the token's claims is missing or not accepted.",
  token_unknown_key: 'No known key of an accepted issuer can verify the token.',
  token_revoked: 'The token has been revoked.',
  token_user_not_found: "The token's user does not exist in this account.",
  token_user_inactive: "The token's user is deactivated.",
}

/** Every error code that an HTTP caller can receive, with its sentence, grouped by status. */
export const httpErrors = {
  400: {
    malformed_json: 'The body is not valid JSON in UTF-8.',
    scim_filter_invalid: 'The filter is not valid, or uses an operator that is not supported.',
    scim_path_invalid: 'A path of the PATCH is not valid.',
    scim_no_target: 'The filter in a path of the PATCH selects no value.',
    scim_value_invalid: 'A value is missing or not valid.',
    scim_too_many: 'The filter matches too many users: narrow it.',
    header_repeated: 'The request has more than one Authorization or Idempotency-Key header.',
    header_invalid: 'A header has a wrong form: the detail names it, and the form that it needs.',
  },
  401: {
    api_key_missing: 'Send an API key: Authorization: Bearer <API_KEY>.',
    api_key_invalid: 'The API key is not valid.',
    ...tokenErrors,
    credentials_invalid: 'The e-mail or the password is wrong, or the user cannot sign in.',
    passkey_invalid:
      'The passkey is not known, not the right one, or its response does not verify.',
    sign_in_code_invalid: 'The code is not the one that was mailed for this challenge.',
    two_factor_code_invalid: 'The code is wrong, has been used, or has expired.',
    challenge_invalid: 'The challenge is unknown, used up or expired: sign in again.',
    refresh_token_invalid: 'The refresh token is unknown, used up or expired: sign in again.',
    reset_token_invalid: 'The token is unknown, used up or expired: ask for a new one.',
    verification_token_invalid: 'The token is unknown, used up or expired: ask for a new one.',
    invitation_invalid:
      'The invitation is unknown, accepted already or expired: ask for a new one.',
    email_change_invalid:
      'The token is unknown, used up or expired, or the change of the address has ended.',
    reauthentication_required:
      'The sign-in is too old, or lacks a method: show a password or second factor at auth/reauthenticate.',
    token_missing:
      'The request has no token of a user: sign in first, then send Authorization: Bearer <JWT>.',
    console_session_missing: 'The console has no session, or it has ended: sign in.',
    console_link_invalid: 'The link is unknown, used up or expired: make another one.',
  },
  403: {
    scope_insufficient: 'The API key or the token lacks the scope that this needs.',
    console_request_forged:
      "Only the console's page may send this request, from its own origin and with Clientele-Console: 1.",
    console_operator_required: 'Only an operator may do this.',
    account_disabled: 'The account is disabled: enable it first.',
    role_required: 'The user has none of the roles that may do this.',
    impersonation_refused: 'Only the user may do this, not a person who acts as the user.',
    sign_in_method_disabled: "The account's policy does not allow this way to sign in.",
    refused_by_hook: 'A rule of the service refuses this.',
    email_not_verified:
      "The account's policy asks for a verified e-mail address: verify this user's address first.",
  },
  404: {
    user_not_found: 'No such user.',
    account_not_found: 'No such account.',
    session_not_found: 'No such session.',
    identity_not_found: 'No such identity.',
    user_token_not_found: 'No such token of this user.',
    device_not_found: 'No such device of this user.',
    passkey_not_found: 'No such passkey.',
    scim_group_not_found: 'No such group.',
    webhook_not_found: 'No such webhook.',
    api_key_not_found: 'No such API key in this account.',
    signing_key_not_found: 'No such signing key in this account.',
    issuer_not_found: 'No such trusted issuer in this account.',
    route_not_found: 'No such route.',
  },
  405: {
    method_not_allowed: 'The route does not have this method.',
  },
  409: {
    email_taken: 'Another user of this account has this e-mail address.',
    invitation_accepted: 'The user has a password or has signed in: they need no invitation.',
    user_inactive: 'The user is deactivated: activate them first.',
    idempotency_in_progress:
      'A request with this Idempotency-Key is still running: repeat it shortly.',
    two_factor_already_enrolled: 'The user has this second factor already: remove it first.',
    two_factor_not_enrolled: 'The user does not have this second factor.',
    mail_unavailable: 'The service has no way to send mail.',
    identity_taken: 'Another user of this account has this identity.',
    identity_limit_reached: 'The user has twenty identities: unlink one first.',
    passkey_taken: 'This passkey is enrolled already.',
    passkey_limit_reached: 'The user has twenty passkeys: remove one first.',
    impersonation_limit_reached:
      'The user has twenty impersonations: end one of these sessions first.',
    user_token_limit_reached: 'The user has fifty tokens: revoke one first.',
    passkeys_not_configured: 'The passkey settings of this account are missing: set them first.',
    webhook_limit_reached: 'This account has ten webhooks: delete one first.',
    webhook_inactive: 'The webhook is disabled: set is_active to true first.',
    scim_user_name_taken: 'Another user of this account has this user name.',
    scim_group_taken: 'This account has a group of this name.',
    scim_group_limit_reached: 'This account has 5,000 groups: delete one first.',
    slug_taken: 'Another account has this slug.',
    external_id_taken: 'Another account has this external id.',
    issuer_taken: 'This account already trusts that issuer.',
    passkeys_enrolled:
      'Passkeys are enrolled for another rpId and would stop working: set force to change it anyway.',
  },
  410: {
    cursor_expired: 'The feed no longer goes back that far.',
  },
  412: {
    precondition_failed: 'The user has changed since: If-Match does not match its ETag.',
  },
  413: {
    body_too_large: 'The body is larger than 64 KiB.',
  },
  415: {
    media_type_unsupported:
      'Send the body as application/json in UTF-8, without a content encoding.',
  },
  422: {
    validation_failed:
      'The input is not valid: each entry of errors names a field and what is wrong with it.',
    idempotency_key_reused: 'This Idempotency-Key was used for another request: use a new one.',
  },
  429: {
    rate_limited: 'Too many attempts: try again later.',
  },
  500: {
    internal_error: 'Something went wrong on our side.',
    hook_failed: 'A hook of the service gave claims that no token may have.',
  },
  501: {
    scim_not_offered: 'This part of SCIM is not offered.',
  },
  503: {
    scim_group_unfinished:
      'The group has more members than one request changes, and some of them are changed: repeat the request to go on.',
    storage_unavailable: 'The database does not answer: try again shortly.',
    overloaded: 'The server is overloaded: try again shortly.',
    hook_unavailable: 'A hook of the service failed, or gave no answer in time: try again shortly.',
    validator_unavailable: 'The token cannot be checked right now: try again shortly.',
  },
} satisfies Record<number, Record<string, string>>

/** Errors that only the embedding program can meet. */
export const localErrors = {
  configuration_invalid: 'The configuration is not valid.',
  migration_missing:
    'The database lacks migrations that this version needs: run clientele migrate.',
  secret_required: 'A secret is needed to encrypt the signing keys.',
  secret_wrong: 'None of the given secrets decrypts the stored data.',
  transaction_invalid:
    'within() takes a transaction of yours, or the connection on which it has begun.',
  transaction_required:
    'No transaction is open on this connection: begin one before you use within().',
  transaction_failed: 'The transaction has failed: roll it back, and begin it anew.',
  hook_in_transaction: 'A hook does not run in a transaction: do this outside of within().',
  transaction_foreign: "The transaction is not in the database that has Clientele's tables.",
}

/** Every code that an HTTP caller can receive, in the `code` member of a problem document (RFC 9457). */
export type HttpErrorCode = {
  [Status in keyof typeof httpErrors]: keyof (typeof httpErrors)[Status]
}[keyof typeof httpErrors]

/** Why a token is not valid. */
export type TokenErrorCode = keyof typeof tokenErrors

/** Codes that only the embedding program can meet, because of its configuration or of ids that it passed. */
export type LocalErrorCode = keyof typeof localErrors

export type ErrorCode = HttpErrorCode | LocalErrorCode

/** One broken rule of the input. */
export interface InputIssue {
  /** JSON Pointer (RFC 6901) to the invalid member. */
  pointer: string
  code: string
  message: string
}

export interface ClienteleErrorOptions {
  cause?: unknown
  issues?: readonly InputIssue[]
  /** The message for the host, where it says more than HTTP callers may know */
  reason?: string | undefined
  retryAfterSeconds?: number
  /** Further response header fields, such as `Allow` or `RateLimit`. */
  headers?: Readonly<Record<string, string>>
}

const messages = Object.assign({}, localErrors, ...Object.values(httpErrors)) as Record<
  ErrorCode,
  string
> // each code is in one of them

const httpStatuses: ReadonlyMap<string, number> = new Map(
  Object.entries(httpErrors).flatMap(([status, codes]) =>
    Object.keys(codes).map((code) => [code, Number(status)] as const),
  ),
)

/** The HTTP status of a code; undefined for codes that only the library has. */
export function getHttpStatus(code: HttpErrorCode): number
export function getHttpStatus(code: string): number | undefined
export function getHttpStatus(code: string): number | undefined {
  return httpStatuses.get(code)
}

/** Every reason why a token is not valid. */
export const tokenErrorCodes = Object.keys(tokenErrors) as TokenErrorCode[] // its own keys

/** How many broken rules an error's message names; `issues` has more. */
const maxIssuesInMessage = 10

/**
 * The one error class of Clientele. Its `code` is stable. Its message never contains a secret or a value that a caller
 * sent. The message of `validation_failed` names the invalid members and the rules that they break.
 *
 * @example
 * try {
 *   await clientele.users.delete(accountId, id)
 * } catch (error) {
 *   const isGone = error instanceof ClienteleError && error.code === 'user_not_found'
 *   if (!isGone) throw error
 * }
 */
export class ClienteleError extends Error {
  override readonly name = 'ClienteleError'
  readonly code: ErrorCode
  /** The text for HTTP callers: the message without what only the host may know, and without the issues, which are in `errors` there */
  readonly detail: string
  /** The broken rules, the first 100 of them, when `code` is `validation_failed`. */
  readonly issues: readonly InputIssue[]
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>>
  #status: number | undefined

  constructor(code: ErrorCode, message?: string, options: ClienteleErrorOptions = {}) {
    const { cause, issues = [], reason } = options
    const detail = message ?? messages[code]
    super(issues.length === 0 ? (reason ?? detail) : listIssues(issues), { cause })
    this.code = code
    this.detail = detail
    this.issues = issues
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers ?? {}
    this.#status = getHttpStatus(code)
  }

  /** The HTTP status of the code; undefined for codes that only the library has. Express, Fastify and Koa answer with it. */
  get status(): number | undefined {
    return this.#status
  }

  // Koa writes the status that it answers with into the error. Without a setter that would throw, and end the process.
  set status(status: number | undefined) {
    this.#status = status
  }
}

function listIssues(issues: readonly InputIssue[]): string {
  const listed = issues
    .slice(0, maxIssuesInMessage)
    .map(({ pointer, message }) => `${pointer === '' ? 'the input' : pointer} ${message}`)
  const left = issues.length - listed.length
  if (left > 0) listed.push(`and ${left} more`)
  return `The input is not valid: ${listed.join('; ')}.`
}

/** How many broken rules are reported at most: a response must not grow far beyond its request. */
export const maxIssues = 100

/** Makes the error for a request that is not carried out because too much waits. */
export function overloaded(retryAfterSeconds = 1): ClienteleError {
  return new ClienteleError('overloaded', undefined, { retryAfterSeconds })
}

export function isOverloaded(error: unknown): error is ClienteleError {
  return error instanceof ClienteleError && error.code === 'overloaded'
}

/** Makes the error for invalid input. */
export function invalidInput(issues: readonly InputIssue[]): ClienteleError {
  return new ClienteleError('validation_failed', undefined, { issues: issues.slice(0, maxIssues) })
}
