// Generated from the OpenAPI document: npm test -- http/openapi -u

export interface CreateUser {
  /** Unique within the account; trimmed, NFC, lower case */
  email: string
  name: string
  /** When missing: `[]`. */
  roles?: string[] | undefined
  /** Any JSON values, at most 8 KiB as JSON. When missing: `{}`. */
  metadata?: Record<string, unknown> | undefined
  /** Required, unless the account's policy has `password_required: false` */
  password?: string | undefined
  /** When missing: `true`. */
  is_active?: boolean | undefined
}

export interface ReplaceUser {
  /** Unique within the account; trimmed, NFC, lower case */
  email: string
  name: string
  /** When missing: `[]`. */
  roles?: string[] | undefined
  /** Any JSON values, at most 8 KiB as JSON. When missing: `{}`. */
  metadata?: Record<string, unknown> | undefined
  password?: string | undefined
  is_active?: boolean | undefined
}

/** JSON Merge Patch (RFC 7396). */
export interface PatchUser {
  /** Unique within the account; trimmed, NFC, lower case */
  email?: string | undefined
  name?: string | undefined
  roles?: string[] | null | undefined
  metadata?: Record<string, unknown> | null | undefined
  password?: string | undefined
  is_active?: boolean | undefined
}

export interface InviteUser {
  /** Unique within the account; trimmed, NFC, lower case */
  email: string
  name: string
  /** When missing: `[]`. */
  roles?: string[] | undefined
  /** Any JSON values, at most 8 KiB as JSON. When missing: `{}`. */
  metadata?: Record<string, unknown> | undefined
  /** The language of the mail (BCP 47) */
  locale?: string | undefined
}

export interface SendInvitation {
  /** The language of the mail (BCP 47) */
  locale?: string | undefined
}

export interface AcceptInvitation {
  token: string
  /** Required, unless the account's policy has `password_required: false` */
  password?: string | undefined
}

/** A user to import; `email` and `name` are needed */
export interface ImportUser {
  /** Unique within the account; trimmed, NFC, lower case */
  email: string
  name: string
  roles?: string[] | undefined
  /** Any JSON values, at most 8 KiB as JSON. */
  metadata?: Record<string, unknown> | undefined
  password?: string | undefined
  id?: string | undefined
  is_active?: boolean | undefined
  /** Whether or since when the address is verified */
  email_verified?: boolean | string | null | undefined
  created_at?: string | undefined
  updated_at?: string | undefined
  password_hash?: string | undefined
  password_expired?: boolean | undefined
}

export interface ValidateToken {
  token: string
}

export interface ValidateTokens {
  tokens: string[]
}

export interface ExchangeToken {
  /** The user's own token, without `Bearer` */
  token: string
}

export interface IntrospectToken {
  /** The JWT, or the user's own token, without `Bearer` */
  token: string
}

export interface LogIn {
  email: string
  password: string
  /** The token of a remembered device, which needs no second factor */
  device_token?: string | undefined
}

export interface LogInWithIdToken {
  /** The issuer's ID token, a JWT */
  id_token: string
  /** What your page sent to the issuer as `nonce` */
  nonce?: string | undefined
  /** Whether to create the user if there is none, with the verified e-mail of the token When missing: `false`. */
  create?: boolean | undefined
}

export interface Reauthenticate {
  refresh_token: string
  password?: string | undefined
  /** With `code`, in place of a password */
  method?: 'totp' | 'recovery_code' | undefined
  code?: string | undefined
}

export interface MailSignInCode {
  email: string
  /** The language of the mail (BCP 47) */
  locale?: string | undefined
}

export interface CodeLogIn {
  challenge: string
  /** What was mailed: the code, or the token of the link */
  code: string
}

export interface CompleteTwoFactor {
  challenge: string
  method: 'totp' | 'email' | 'passkey' | 'recovery_code'
  /** For every method except `passkey` */
  code?: string | undefined
  /** For the method `passkey`: the browser's AuthenticationResponseJSON */
  response?: AuthenticationResponse | undefined
  /** Remembers the device, if the account's policy allows it: `device_token` */
  remember_device?: boolean | undefined
  /** What the user calls the device */
  device_name?: string | undefined
}

export interface AuthenticationResponse {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string | null | undefined
  }
}

export interface MailTwoFactorCode {
  challenge: string
  /** The language of the mail (BCP 47) */
  locale?: string | undefined
}

export interface ChallengeOnly {
  challenge: string
}

export interface EnrolToLogIn {
  challenge: string
  method: 'totp' | 'email'
  /** The language of the mail (BCP 47) */
  locale?: string | undefined
}

export interface ConfirmTotp {
  code: string
}

export interface BeginPasskey {
  /** The token of a sign-in of the user; the account's settings may require it */
  token?: string | undefined
  /** The purpose of the passkey: a second factor may be a key without a PIN When missing: `"first_factor"`. */
  use?: 'first_factor' | 'second_factor' | undefined
}

export interface EnrolPasskey {
  challenge: string
  response: RegistrationResponse
  /** When missing: `"Passkey"`. */
  name?: string | undefined
  /** When missing: `"first_factor"`. */
  use?: 'first_factor' | 'second_factor' | undefined
}

export interface RegistrationResponse {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    attestationObject: string
    transports?: string[] | undefined
  }
}

export interface RenamePasskey {
  name: string
}

export interface BeginPasskeyLogIn {
  /** The user whose passkeys to ask for; without it the user chooses one that the device knows */
  email?: string | undefined
}

export interface PasskeyLogIn {
  challenge: string
  response: AuthenticationResponse
}

export interface Refresh {
  refresh_token: string
}

export interface Impersonate {
  /** Who acts as the user: an id or an address of your own people */
  actor: string
  /** Why; the event has it */
  reason: string
  /** Seconds When missing: `900`. */
  expires_in?: number | undefined
}

export interface NewUserToken {
  /** What the user calls it */
  name: string
  /** The application's own words, which its guards ask for When missing: `[]`. */
  scopes?: string[] | undefined
  /** Seconds, up to 366 days; null: it does not expire When missing: `null`. */
  expires_in?: number | null | undefined
}

export interface RenameUserToken {
  /** What the user calls it */
  name: string
}

export interface ChangeExpiredPassword {
  challenge: string
  password: string
  /** Remembers the device, if the account's policy allows it: `device_token` */
  remember_device?: boolean | undefined
  /** What the user calls the device */
  device_name?: string | undefined
}

export interface LinkIdentity {
  /** `iss` of its tokens, not normalised */
  issuer: string
  /** The id of the user at the issuer, not normalised */
  subject: string
}

export interface EmailChangeRequest {
  email: string
  /** The language of the mail (BCP 47) */
  locale?: string | undefined
}

export interface EmailChangeToken {
  token: string
}

export interface EmailTokenRequest {
  email: string
  /** The language of the mail (BCP 47) */
  locale?: string | undefined
}

export interface ResetPassword {
  token: string
  password: string
}

export interface ConfirmEmail {
  token: string
}

export interface CreateWebhook {
  /** https; private and link-local addresses are forbidden */
  url: string
  /** Event types, `user.created`, or groups of them, `user.*`; `*` means all When missing: `["*"]`. */
  types?: string[] | undefined
  /** When missing: `""`. */
  description?: string | undefined
  /** When missing: `true`. */
  is_active?: boolean | undefined
}

export interface PatchWebhook {
  /** https; private and link-local addresses are forbidden */
  url?: string | undefined
  /** Event types, `user.created`, or groups of them, `user.*`; `*` means all */
  types?: string[] | undefined
  description?: string | undefined
  is_active?: boolean | undefined
}

export interface ReplayWebhook {
  /** A cursor of the feed: every event after it is sent again */
  after: string
}

/** An end user that belongs to one account. */
export interface ClientUser {
  /** UUIDv7, assigned by the service */
  id: string
  /** Unique within the account; trimmed, NFC, lower case */
  email: string
  name: string
  roles: string[]
  /** Any JSON values, at most 8 KiB as JSON. */
  metadata: Record<string, unknown>
  is_active: boolean
  created_at: string
  updated_at: string
}

export interface UserList {
  data: ClientUser[]
  page: number
  limit: number
  total: number
}

export interface PersonalData {
  user: ClientUser
  sessions: {
    id: string
    /** Authentication methods (RFC 8176) */
    amr: string[]
    /** Who acts as the user; null: the user */
    impersonated_by: string | null
    created_at: string
    last_used_at: string
    expires_at: string
  }[]
  two_factor: TwoFactorState
  passkeys: Passkey[]
  devices: {
    id: string
    name: string | null
    created_at: string
    last_used_at: string
    expires_at: string
  }[]
  user_tokens: {
    id: string
    /** What the user calls it */
    name: string
    scopes: string[]
    /** The beginning of the token, by which people tell tokens apart */
    prefix: string
    created_at: string
    /** Null: it does not expire */
    expires_at: string | null
    /** Written at most once a minute; null: never used */
    last_used_at: string | null
    /** Null: it is not revoked */
    revoked_at: string | null
  }[]
  identities: Identity[]
  /** The names that an identity provider has given */
  scim: {
    user_name: string
    external_id: string | null
    given_name: string | null
    family_name: string | null
  } | null
  verified_email: {
    email: string
    verified_at: string
  } | null
  former_emails: string[]
  /** Whether there are more former addresses. An erasure deletes all */
  has_more_former_emails: boolean
  email_tokens: {
    purpose: 'password_reset' | 'email_verification' | 'invitation' | 'sign_in_code' | 'email_change' | 'email_change_notice'
    email: string
    expires_at: string
  }[]
  events: Event[]
  next_cursor: string
  /** Whether there are more events: ask again with `after` */
  has_more: boolean
}

export interface TwoFactorState {
  totp: boolean
  email: boolean
  recovery_codes_left: number
}

export interface Passkey {
  id: string
  name: string
  use: 'first_factor' | 'second_factor'
  created_at: string
  /** When it was last used to sign in */
  last_used_at: string | null
  /** Whether it was backed up when it was last used */
  backed_up: boolean
  transports: string[]
}

export interface Identity {
  id: string
  /** `iss` of its tokens, not normalised */
  issuer: string
  /** The id of the user at the issuer, not normalised */
  subject: string
  created_at: string
  /** When it was last used to sign in */
  last_used_at: string | null
}

export interface Event {
  id: string
  type:
    | 'user.created'
    | 'user.updated'
    | 'user.invited'
    | 'user.activated'
    | 'user.deactivated'
    | 'user.deleted'
    | 'user.erased'
    | 'user.exported'
    | 'users.imported'
    | 'events.exported'
    | 'user.logged_in'
    | 'user.reauthenticated'
    | 'user.impersonated'
    | 'user.login_failed'
    | 'user.logged_out'
    | 'user.password_reset_requested'
    | 'user.password_reset'
    | 'user.password_expired'
    | 'user.email_change_requested'
    | 'user.email_change_cancelled'
    | 'user.email_verified'
    | 'session.revoked'
    | 'session.reuse_detected'
    | 'device.remembered'
    | 'device.removed'
    | 'user_token.created'
    | 'user_token.updated'
    | 'user_token.revoked'
    | 'two_factor.enrolled'
    | 'two_factor.recovery_codes_renewed'
    | 'two_factor.removed'
    | 'passkey.enrolled'
    | 'passkey.renamed'
    | 'passkey.removed'
    | 'identity.linked'
    | 'identity.unlinked'
    | 'account.updated'
    | 'account.disabled'
    | 'account.enabled'
    | 'group.created'
    | 'group.updated'
    | 'group.deleted'
    | 'api_key.created'
    | 'api_key.rotated'
    | 'api_key.revoked'
    | 'api_key.refused'
    | 'signing_key.created'
    | 'signing_key.rotated'
    | 'signing_key.retired'
    | 'signing_key.removed'
    | 'issuer.created'
    | 'issuer.updated'
    | 'issuer.deleted'
    | 'webhook.created'
    | 'webhook.updated'
    | 'webhook.secret_rotated'
    | 'webhook.replayed'
    | 'webhook.disabled'
    | 'webhook.deleted'
  created_at: string
  actor: {
    type: 'api_key' | 'user' | 'operator' | 'system'
    id: string | null
  }
  request_id: string
  subject: {
    type: 'user' | 'account' | 'api_key' | 'signing_key' | 'issuer' | 'webhook'
    id: string | null
  }
  data: Record<string, unknown>
}

export interface Erasure {
  id: string
  erased_at: string
  /** How many rows were deleted, by table */
  removed: Record<string, number>
  /** What stays, by table, and why */
  retained: {
    what: string
    why: string
  }[]
  /** The other members as a compact JWS (RFC 7515) by the key that signs tokens */
  receipt: string
}

export interface ImportResult {
  /** How many users were created */
  imported: number
  /** How many lines changed existing users */
  updated: number
  /** How many lines were left out */
  skipped: number
  /** How many of the created users have no password */
  without_password: number
  /** The line that ended the import: it and all lines after it were left out */
  stopped_at_line: number | null
  /** The first 1,000 lines that were left out, and why; `skipped` counts all */
  errors: {
    line: number
    code: string
    message: string
  }[]
}

/** A user, in the form that an import takes */
export interface ExportedUser {
  /** UUIDv7, assigned by the service */
  id: string
  /** Unique within the account; trimmed, NFC, lower case */
  email: string
  name: string
  roles: string[]
  /** Any JSON values, at most 8 KiB as JSON. */
  metadata: Record<string, unknown>
  is_active: boolean
  created_at: string
  updated_at: string
  /** When the address was verified; false: it is not */
  email_verified: string | false
}

export interface TokenValidation {
  isValid: true
  success_code: 200
  user: ClientUser
  /** Who acts as the user (RFC 8693, section 4.1); absent: the user */
  act?: {
    /** Absent where another issuer names them otherwise */
    sub?: string | undefined
  } | undefined
  /** Of a user's own token, and of a JWT that one was exchanged for */
  user_token?: {
    id: string
    /** What the user calls it */
    name: string
    scopes: string[]
    /** Null: it does not expire */
    expires_at: string | null
  } | undefined
}

export interface TokenValidations {
  results: (TokenValidation | TokenRefusal)[]
}

export interface TokenRefusal {
  isValid: false
  code:
    | 'token_malformed'
    | 'token_signature_invalid'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'token_claims_invalid'
    | 'token_unknown_key'
    | 'token_revoked'
    | 'token_user_not_found'
    | 'token_user_inactive'
}

export interface ExchangedToken {
  token: string
  token_type: 'Bearer'
  /** Seconds */
  expires_in: number
}

export type TokenIntrospection = ActiveToken | InactiveToken

export interface ActiveToken {
  active: true
  iss: string
  /** The user's id, in our own tokens */
  sub?: string | undefined
  /** The account's id, in our own tokens */
  aud: string | string[]
  /** The account's id, in our own tokens */
  client_id: string
  /** Absent for a user's own token that does not expire */
  exp?: number | undefined
  /** Seconds since the epoch */
  iat: number
  jti?: string | undefined
  /** The session's id, in our own tokens */
  sid?: string | undefined
  /** When the user last showed a credential, in seconds since the epoch (RFC 9470) */
  auth_time?: number | undefined
  /** Authentication methods (RFC 8176) */
  amr?: string[] | undefined
  /** Who acts as the user (RFC 8693, section 4.1); absent: the user */
  act?: {
    /** Absent where another issuer names them otherwise */
    sub?: string | undefined
  } | undefined
  /** The scopes of a user's own token, with spaces between them */
  scope?: string | undefined
  /** The user's e-mail */
  username: string
  token_type: 'Bearer'
}

export interface InactiveToken {
  active: false
}

export interface SignedIn {
  success_code: 200
  data: {
    /** A JWT (RFC 7519) of the type at+jwt (RFC 9068) */
    token: string
    token_type: 'Bearer'
    /** Seconds */
    expires_in: number
    refresh_token: string
    /** Seconds */
    refresh_expires_in: number
    /** After a second factor was enrolled on the way in: shown only this time */
    recovery_codes?: string[] | undefined
    /** For the next sign-in on a remembered device: each use replaces it */
    device_token?: string | undefined
    /** Seconds */
    device_expires_in?: number | undefined
  }
  user: ClientUser
}

export interface TwoFactorRequired {
  success_code: 202
  data: {
    two_factor_required: true
    challenge: string
    methods: ('totp' | 'email' | 'passkey' | 'recovery_code')[]
    /** Seconds */
    expires_in: number
  }
}

export interface TwoFactorEnrolmentRequired {
  success_code: 202
  data: {
    two_factor_enrolment_required: true
    challenge: string
    methods: ('totp' | 'email')[]
    /** Seconds */
    expires_in: number
  }
}

export interface PasswordChangeRequired {
  success_code: 202
  data: {
    password_change_required: true
    challenge: string
    /** Seconds */
    expires_in: number
    /** After a second factor was enrolled on the way in: shown only this time */
    recovery_codes?: string[] | undefined
  }
}

export interface MailedSignInCode {
  data: {
    challenge: string
    /** Seconds */
    expires_in: number
  }
}

export interface PasskeyTwoFactor {
  options: PasskeyRequestOptions
  /** Seconds */
  expires_in: number
}

export interface PasskeyRequestOptions {
  /** base64url */
  challenge: string
  rpId: string
  /** Milliseconds */
  timeout: number
  userVerification: string
  allowCredentials?: {
    /** base64url */
    id: string
    type: 'public-key'
    transports?: string[] | undefined
  }[] | undefined
}

export interface TotpEnrolment {
  /** Base32 */
  secret: string
  /** The URI that authenticator apps read */
  otpauth_uri: string
  /** The URI as a QR code, if requested */
  qr_svg?: string | undefined
}

export interface RecoveryCodes {
  recovery_codes: string[]
}

export interface BegunPasskey {
  challenge: string
  options: PasskeyCreationOptions
  /** Seconds */
  expires_in: number
}

export interface PasskeyCreationOptions {
  rp: {
    id: string
    name: string
  }
  user: {
    /** base64url */
    id: string
    name: string
    displayName: string
  }
  /** base64url */
  challenge: string
  pubKeyCredParams: {
    alg: -8 | -7 | -257
    type: 'public-key'
  }[]
  /** Milliseconds */
  timeout: number
  attestation: string
  excludeCredentials: {
    /** base64url */
    id: string
    type: 'public-key'
    transports?: string[] | undefined
  }[]
  authenticatorSelection: {
    residentKey: string
    userVerification: string
    [member: string]: unknown
  }
  extensions: Record<string, unknown>
  hints: string[]
}

export interface PasskeyList {
  data: Passkey[]
}

export interface BegunPasskeyLogIn {
  challenge: string
  options: PasskeyRequestOptions
  /** Seconds */
  expires_in: number
}

export interface SessionList {
  data: {
    id: string
    /** Authentication methods (RFC 8176) */
    amr: string[]
    /** Who acts as the user; null: the user */
    impersonated_by: string | null
    created_at: string
    last_used_at: string
    expires_at: string
  }[]
}

export interface DeviceList {
  data: {
    id: string
    name: string | null
    created_at: string
    last_used_at: string
    expires_at: string
  }[]
}

export interface Impersonation {
  /** A JWT (RFC 7519) with the claim `act` (RFC 8693); there is no refresh token */
  token: string
  token_type: 'Bearer'
  /** Seconds */
  expires_in: number
}

export interface CreatedUserToken {
  id: string
  /** What the user calls it */
  name: string
  scopes: string[]
  /** The beginning of the token, by which people tell tokens apart */
  prefix: string
  created_at: string
  /** Null: it does not expire */
  expires_at: string | null
  /** Written at most once a minute; null: never used */
  last_used_at: string | null
  /** The token, shown only this time */
  token: string
}

export interface UserTokenList {
  data: UserToken[]
}

export interface UserToken {
  id: string
  /** What the user calls it */
  name: string
  scopes: string[]
  /** The beginning of the token, by which people tell tokens apart */
  prefix: string
  created_at: string
  /** Null: it does not expire */
  expires_at: string | null
  /** Written at most once a minute; null: never used */
  last_used_at: string | null
}

export interface IdentityList {
  data: Identity[]
}

export interface EmailVerification {
  /** Null: the present address of the user is not verified */
  email_verified_at: string | null
}

export interface Jwks {
  keys: {
    kty: string
    kid: string
    [member: string]: unknown
  }[]
}

export interface IssuerMetadata {
  issuer: string
  jwks_uri: string
  introspection_endpoint: string
  token_endpoint_auth_methods_supported: string[]
  id_token_signing_alg_values_supported: string[]
  subject_types_supported: string[]
  response_types_supported: string[]
}

export interface EventFeed {
  data: Event[]
  next_cursor: string
  has_more: boolean
}

export interface RevocationFeed {
  data: Revocation[]
  next_cursor: string
  has_more: boolean
}

export type Revocation = SessionRevocation | UserRevocation | SigningKeyRevocation

/** The tokens of a session (`sid`) are revoked. */
export interface SessionRevocation {
  type: 'session'
  session_id: string
  at: string
}

/** The tokens of a user (`sub`) that were issued up to `not_before` are revoked. */
export interface UserRevocation {
  type: 'user'
  user_id: string
  not_before: string
  /** The session that survived the new password; its tokens stay valid */
  except_session_id?: string | undefined
  /** JWTs for which the user's own tokens were exchanged (`user_token_id`) up to then are revoked. Absent: the user's own tokens live on */
  own_tokens_not_before?: string | undefined
}

/** The tokens that this key signed are revoked. */
export interface SigningKeyRevocation {
  type: 'signing_key'
  kid: string
  at: string
}

export interface CreatedWebhook {
  id: string
  url: string
  types: string[]
  description: string
  is_active: boolean
  /** Why the service switched it off: it answered 410 (`gone`), or every attempt failed for five days (`failing`); null: the service did not */
  disabled_reason: 'gone' | 'failing' | null
  created_at: string
  updated_at: string
  /** The secret that verifies the signatures (Standard Webhooks 1.0), shown only this time */
  secret: string
}

export interface WebhookList {
  data: Webhook[]
}

export interface Webhook {
  id: string
  url: string
  types: string[]
  description: string
  is_active: boolean
  /** Why the service switched it off: it answered 410 (`gone`), or every attempt failed for five days (`failing`); null: the service did not */
  disabled_reason: 'gone' | 'failing' | null
  created_at: string
  updated_at: string
}

export interface WebhookSecret {
  /** The secret that verifies the signatures (Standard Webhooks 1.0), shown only this time */
  secret: string
}

export interface WebhookAttempts {
  data: {
    id: string
    event_id: string
    type: string
    attempt: number
    /** The status of the response; null: no response */
    status: number | null
    /** Why there was no response: `no_answer`: a timeout, or the address is forbidden; `error`: a fault of the service itself */
    reason: 'no_answer' | 'error' | null
    attempted_at: string
    duration_ms: number
  }[]
}
