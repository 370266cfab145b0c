/**
 * A multi-tenant user service to embed in any Node application.
 *
 * @module
 */

export type { Account, NewAccount, RenameAccount } from './accounts/account.ts'
export type { AccountsApi } from './accounts/api.ts'
export type { FirstAccount } from './accounts/bootstrap.ts'
export type { PasskeySettings, PasskeySettingsInput } from './accounts/passkey-settings.ts'
export type { ApiKeysApi, AuthenticatedApiKey, AuthenticateOptions } from './api-keys/api.ts'
export type { ApiKey, NewApiKey, RotateApiKey, Scope } from './api-keys/api-key.ts'
export type { CreatedApiKey } from './api-keys/create-api-key.ts'
export type { Actor, CallerInput, CallInput } from './call.ts'
export type {
  AccountMethods,
  AuthMethods,
  Clientele,
  ClienteleMethods,
  ConsoleMethods,
  JoinedMethods,
  Mountable,
  UserMethods,
} from './clientele.ts'
export type { ClienteleOptions } from './clientele-options.ts'
export type { ConsoleApi } from './console/api.ts'
export type { ConsoleLink } from './console/create-link.ts'
export { createClientele } from './create-clientele.ts'
export type { EmailTokensApi } from './email-tokens/api.ts'
export type { Mail, SendMail } from './email-tokens/mail.ts'
export {
  ClienteleError,
  type ErrorCode,
  type HttpErrorCode,
  type InputIssue,
  type LocalErrorCode,
  type TokenErrorCode,
} from './errors.ts'
export type { EventsApi, FeedResult } from './events/api.ts'
export {
  type EventData,
  type EventType,
  eventTypeNames,
  type SubjectType,
} from './events/event-types.ts'
export type { ClienteleEvents, EventListener, EventName } from './events/events.ts'
export type { ExportEventsOptions } from './events/export-events.ts'
export type { EventPerson, NewEvent } from './events/new-event.ts'
export type { ReadFeedInput } from './events/read-feed.ts'
export { type ClienteleEvent, toWireEvent } from './events/render-event.ts'
export type {
  ChainEnd,
  ChainEnds,
  ChainedEvent,
  EventLinker,
  FeedHead,
  FeedPage,
  FeedRequest,
  LinkedEvent,
  StoredEvent,
} from './events/store.ts'
export type { TailEventsOptions } from './events/tail-events.ts'
export type { FeedProblem, FeedVerification } from './events/verify-feed.ts'
export type {
  ConsoleOperator,
  ConsoleOptions,
  ConsoleRequest,
} from './http/console/console-options.ts'
export {
  createGuard,
  type Guard,
  type GuardedUser,
  type TokenValidator,
  type Verifier,
} from './http/create-guard.ts'
export type { GuardedRequest, GuardOptions, GuardResult } from './http/guard-request.ts'
export type { BodyFault, HttpRequest, HttpResponse } from './http/message.ts'
export { checkHandlerArguments, checkRoutesArguments } from './http/mount-arguments.ts'
export type {
  JsonSchema,
  MediaTypeObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from './http/openapi/open-api-document.ts'
export { type Operation, type SecuritySchemes, toOperationSchema } from './http/operations.ts'
export type { IdentitiesApi } from './identities/api.ts'
export type { Identity, LinkIdentityInput } from './identities/identity.ts'
export type { ImportExportApi } from './import-export/api.ts'
export type { ExportRecord } from './import-export/export-users.ts'
export type { ImportOptions } from './import-export/import-policy.ts'
export {
  type ImportError,
  type ImportRecord,
  importColumns,
} from './import-export/import-record.ts'
export type { ImportResult } from './import-export/import-result.ts'
export type { ImportBatch, ImportProgress } from './import-export/store.ts'
export type { JsonObject, JsonValue } from './input/json.ts'
export { toWire, type Wire } from './input/wire-names.ts'
export type { MfaApi, MfaSignInApi } from './mfa/api.ts'
export type { PasskeyMfaOptions } from './mfa/begin-passkey-mfa.ts'
export type {
  MfaMethod,
  MfaRequired,
} from './mfa/challenge-user.ts'
export type { CompleteMfaInput } from './mfa/complete-mfa.ts'
export type { MfaState } from './mfa/read-mfa-state.ts'
export type { TotpEnrolment } from './mfa/totp-factor.ts'
export type { Gauges, PoolLoad, QueueLoad } from './observe/gauges.ts'
export type {
  CallEvent,
  CreateObserver,
  DeliveryEvent,
  FeedEvent,
  HashEvent,
  ObservedClientele,
  Observer,
  QueryEvent,
  RequestEvent,
  RequestStart,
  Timed,
} from './observe/observer.ts'
export type { PasskeySettingsApi, PasskeySignInApi, PasskeysApi } from './passkeys/api.ts'
export type { BeginEnrolmentInput, BegunEnrolment } from './passkeys/begin-enrolment.ts'
export type { BegunLogIn } from './passkeys/begin-log-in.ts'
export type { EnrolPasskeyInput } from './passkeys/enrol-passkey.ts'
export type { PasskeyLogInInput } from './passkeys/log-in-with-passkey.ts'
export type { Passkey } from './passkeys/passkey.ts'
export type { PasskeyUse } from './passkeys/store.ts'
export type { PasskeyCreationOptions, PasskeyRequestOptions } from './passkeys/webauthn-options.ts'
export type { AuthenticationResponse, RegistrationResponse } from './passkeys/webauthn-responses.ts'
export type { PasswordHashing } from './passwords/password-hasher.ts'
export type { PasswordPolicy } from './passwords/password-policy.ts'
export { type PwnedPasswordsOptions, pwnedPasswords } from './passwords/pwned-passwords.ts'
export type { PersonalDataApi } from './personal-data/api.ts'
export type { ErasureReceipt } from './personal-data/erase-user.ts'
export type { ExportDataInput, PersonalData } from './personal-data/export-user.ts'
export type { RateLimit, RateLimits } from './rate-limits/login-throttle.ts'
export type { Repository } from './repository.ts'
export type { RevocationsApi } from './revocations/api.ts'
export type { ReadRevocationsInput, RevocationPage } from './revocations/read-revocations.ts'
export type {
  Revocation,
  SessionRevocation,
  SigningKeyRevocation,
  UserRevocation,
} from './revocations/to-revocations.ts'
export type { Logger } from './runtime/logger.ts'
export type { SessionsApi, SessionTokensApi } from './sessions/api.ts'
export type { Session } from './sessions/list-sessions.ts'
export type { SignedIn } from './sessions/open-session.ts'
export type { SignInApi } from './sign-in/api.ts'
export type { LogInWithIdTokenInput } from './sign-in/log-in-with-id-token.ts'
export type { SigningKeysApi } from './signing-keys/api.ts'
export type { IssuerMetadata } from './signing-keys/issuer-metadata.ts'
export type { SigningKeyStatus } from './signing-keys/key-times.ts'
export type {
  RotateAllSigningKeys,
  RotatedAccount,
} from './signing-keys/rotate-all-signing-keys.ts'
export { type SigningAlgorithm, signingAlgorithms } from './signing-keys/signing-key.ts'
export type { RotateSigningKey, SigningKeyInfo } from './signing-keys/signing-keys.ts'
export { type AccessTokenClaims, type TokenType, tokenTypes } from './tokens/access-tokens.ts'
export type { TokenResult, TokensApi } from './tokens/api.ts'
export type {
  ValidatedIssuerToken,
  ValidatedOwnToken,
  ValidatedToken,
} from './tokens/validate-token.ts'
export type { TrustedIssuersApi } from './trusted-issuers/api.ts'
export type { IssuerAlgorithm } from './trusted-issuers/issuer-algorithms.ts'
export type { NewTrustedIssuer, TrustedIssuerChanges } from './trusted-issuers/issuer-schema.ts'
export type { PublicJwk } from './trusted-issuers/public-jwk.ts'
export type { TrustedIssuerRecord } from './trusted-issuers/store.ts'
export type { NonceRule, TrustedIssuer, UserLookup } from './trusted-issuers/trusted-issuer.ts'
export type { IssuerTokenClaims } from './trusted-issuers/trusted-issuers.ts'
export type { ChangeOptions, ReplaceOptions, UsersApi } from './users/api.ts'
export type { ClientUser, UserResult } from './users/client-user.ts'
export type {
  FieldIssue,
  FieldResult,
  FieldSchema,
  HostSchemas,
  MergePatch,
  MetadataPatch,
  Register,
  UserMetadata,
  UserRole,
} from './users/host-schemas.ts'
export type { UserList } from './users/list-users.ts'
export type { ListUsersInput, SortOrder } from './users/page.ts'
export type { StoredUser } from './users/stored-user.ts'
export type { CreateUserInput, PatchUserInput, ReplaceUserInput } from './users/user-input.ts'
export type { WebhooksApi } from './webhooks/api.ts'
export type { CreatedWebhook } from './webhooks/create-webhook.ts'
export type {
  DisabledReason,
  NewWebhook,
  Webhook,
  WebhookAttempt,
  WebhookChanges,
  WebhookFailure,
  WebhookReplay,
} from './webhooks/webhook.ts'
