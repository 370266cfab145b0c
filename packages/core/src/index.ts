/**
 * Multi-tenant authentication to embed in any Node application.
 *
 * @module
 */

export type { Actor, CallerInput, CallInput } from './base/call/call.ts'
export type { Scope } from './base/call/scope.ts'
export {
  ClienteleError,
  type ErrorCode,
  type HttpErrorCode,
  type InputIssue,
  type LocalErrorCode,
  type TokenErrorCode,
} from './base/errors.ts'
export type { JsonObject, JsonValue } from './base/input/json.ts'
export { toWire, type Wire } from './base/input/wire-names.ts'
export type { Gauges, PoolLoad, QueueLoad } from './base/observe/gauges.ts'
export type * from './base/observe/observer.ts'
export type { Logger } from './base/runtime/logger.ts'
export type {
  Account,
  AccountsOfEmail,
  FirstAccount,
  NewAccount,
  RenameAccount,
  UpdateAccount,
} from './capabilities/accounts/account.ts'
export type { AccountPolicy, SetPolicy } from './capabilities/accounts/account-policy.ts'
export type { AccountsApi } from './capabilities/accounts/api.ts'
export type { AccountName } from './capabilities/accounts/find-account.ts'
export type {
  PasskeySettings,
  PasskeySettingsInput,
} from './capabilities/accounts/passkey-settings.ts'
export type {
  ApiKeysApi,
  AuthenticatedApiKey,
  AuthenticateOptions,
} from './capabilities/api-keys/api.ts'
export type { ApiKey, NewApiKey, RotateApiKey } from './capabilities/api-keys/api-key.ts'
export type { CreatedApiKey } from './capabilities/api-keys/create-api-key.ts'
export type { DevicesApi } from './capabilities/devices/api.ts'
export type { Device } from './capabilities/devices/device.ts'
export type { EmailChangesApi, EmailChangeTokensApi } from './capabilities/email-changes/api.ts'
export type { EmailTokensApi } from './capabilities/email-tokens/api.ts'
export type { EventsApi, FeedResult } from './capabilities/events/api.ts'
export {
  type EventData,
  type EventType,
  eventTypeNames,
  type SubjectType,
} from './capabilities/events/event-types.ts'
export type { ClienteleEvents, EventListener, EventName } from './capabilities/events/events.ts'
export type { ExportEventsOptions } from './capabilities/events/export-events.ts'
export type { EventPerson, NewEvent } from './capabilities/events/new-event.ts'
export type { ReadFeedInput } from './capabilities/events/read-feed.ts'
export { type ClienteleEvent, toWireEvent } from './capabilities/events/render-event.ts'
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
} from './capabilities/events/store.ts'
export type { TailEventsOptions } from './capabilities/events/tail-events.ts'
export type { FeedProblem, FeedVerification } from './capabilities/events/verify-feed.ts'
export type {
  ExpiredPasswordSignInApi,
  ExpirePasswordApi,
} from './capabilities/expired-passwords/api.ts'
export type { ChangeExpiredPasswordInput } from './capabilities/expired-passwords/change-expired-password.ts'
export { HookRefusal } from './capabilities/hooks/hook-refusal.ts'
export type {
  BeforeCreateContext,
  BeforeSignInContext,
  BeforeUpdateContext,
  ClienteleHooks,
  HookContext,
  HookEndpoint,
  TokenClaimsContext,
} from './capabilities/hooks/hook-types.ts'
export type { IdentitiesApi } from './capabilities/identities/api.ts'
export type { Identity, LinkIdentityInput } from './capabilities/identities/identity.ts'
export type { ImpersonationApi } from './capabilities/impersonation/api.ts'
export type { ImpersonateInput } from './capabilities/impersonation/impersonate-user.ts'
export type { ImportExportApi } from './capabilities/import-export/api.ts'
export type { ExportRecord } from './capabilities/import-export/export-users.ts'
export type { ImportOptions } from './capabilities/import-export/import-policy.ts'
export {
  type ImportError,
  type ImportRecord,
  importColumns,
} from './capabilities/import-export/import-record.ts'
export type { ImportResult } from './capabilities/import-export/import-result.ts'
export type { ImportBatch, ImportProgress } from './capabilities/import-export/store.ts'
export type { AcceptInvitationApi, InvitationsApi } from './capabilities/invitations/api.ts'
export type { MfaApi, MfaSignInApi } from './capabilities/mfa/api.ts'
export type { PasskeyMfaOptions } from './capabilities/mfa/begin-passkey-mfa.ts'
export type {
  MfaEnrolmentRequired,
  MfaMethod,
  MfaRequired,
  PasswordChangeRequired,
} from './capabilities/mfa/challenge-user.ts'
export type { CompleteMfaInput } from './capabilities/mfa/complete-mfa.ts'
export type { MfaState } from './capabilities/mfa/read-mfa-state.ts'
export type { TotpEnrolment } from './capabilities/mfa/totp-factor.ts'
export type {
  PasskeySettingsApi,
  PasskeySignInApi,
  PasskeysApi,
} from './capabilities/passkeys/api.ts'
export type {
  BeginEnrolmentInput,
  BegunEnrolment,
} from './capabilities/passkeys/begin-enrolment.ts'
export type { BegunLogIn } from './capabilities/passkeys/begin-log-in.ts'
export type { EnrolPasskeyInput } from './capabilities/passkeys/enrol-passkey.ts'
export type { PasskeyLogInInput } from './capabilities/passkeys/log-in-with-passkey.ts'
export type { Passkey } from './capabilities/passkeys/passkey.ts'
export type { PasskeyUse } from './capabilities/passkeys/store.ts'
export type {
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from './capabilities/passkeys/webauthn-options.ts'
export type {
  AuthenticationResponse,
  RegistrationResponse,
} from './capabilities/passkeys/webauthn-responses.ts'
export type { PasswordHashing } from './capabilities/passwords/password-hasher.ts'
export type { PasswordPolicy } from './capabilities/passwords/password-policy.ts'
export {
  type PwnedPasswordsOptions,
  pwnedPasswords,
} from './capabilities/passwords/pwned-passwords.ts'
export type { PersonalDataApi } from './capabilities/personal-data/api.ts'
export type { ErasureReceipt } from './capabilities/personal-data/erase-user.ts'
export type { ExportDataInput, PersonalData } from './capabilities/personal-data/export-user.ts'
export type { RateLimit, RateLimits } from './capabilities/rate-limits/login-throttle.ts'
export type { RevocationsApi } from './capabilities/revocations/api.ts'
export type {
  ReadRevocationsInput,
  RevocationPage,
} from './capabilities/revocations/read-revocations.ts'
export type {
  Revocation,
  SessionRevocation,
  SigningKeyRevocation,
  UserRevocation,
} from './capabilities/revocations/to-revocations.ts'
export type { ScimApi } from './capabilities/scim/api.ts'
export type { ScimNames } from './capabilities/scim/scim-user.ts'
export type { SessionsApi, SessionTokensApi } from './capabilities/sessions/api.ts'
export type { Session } from './capabilities/sessions/list-sessions.ts'
export type { SignedIn } from './capabilities/sessions/open-session.ts'
export type { SignInApi } from './capabilities/sign-in/api.ts'
export type { LogInWithIdTokenInput } from './capabilities/sign-in/log-in-with-id-token.ts'
export type { SignInResult } from './capabilities/sign-in/proceed.ts'
export type { SignInCodesApi } from './capabilities/sign-in-codes/api.ts'
export type { CodeLogInInput } from './capabilities/sign-in-codes/log-in-with-code.ts'
export type {
  MailedSignInCode,
  MailSignInCodeInput,
} from './capabilities/sign-in-codes/mail-sign-in-code.ts'
export type { SigningKeysApi } from './capabilities/signing-keys/api.ts'
export type { IssuerMetadata } from './capabilities/signing-keys/issuer-metadata.ts'
export type { SigningKeyStatus } from './capabilities/signing-keys/key-times.ts'
export type {
  RotateAllSigningKeys,
  RotatedAccount,
} from './capabilities/signing-keys/rotate-all-signing-keys.ts'
export {
  type SigningAlgorithm,
  signingAlgorithms,
} from './capabilities/signing-keys/signing-key.ts'
export type { RotateSigningKey, SigningKeyInfo } from './capabilities/signing-keys/signing-keys.ts'
export {
  type AccessTokenClaims,
  type TokenType,
  tokenTypes,
} from './capabilities/tokens/access-tokens.ts'
export type { TokenResult, TokensApi } from './capabilities/tokens/api.ts'
export type {
  ValidatedExchangedToken,
  ValidatedIssuerToken,
  ValidatedOwnToken,
  ValidatedToken,
  ValidatedUserToken,
} from './capabilities/tokens/validated-token.ts'
export type { TrustedIssuersApi } from './capabilities/trusted-issuers/api.ts'
export type { IssuerAlgorithm } from './capabilities/trusted-issuers/issuer-algorithms.ts'
export type {
  NewTrustedIssuer,
  TrustedIssuerChanges,
} from './capabilities/trusted-issuers/issuer-schema.ts'
export type { PublicJwk } from './capabilities/trusted-issuers/public-jwk.ts'
export type { TrustedIssuerRecord } from './capabilities/trusted-issuers/store.ts'
export type {
  NonceRule,
  TrustedIssuer,
  UserLookup,
} from './capabilities/trusted-issuers/trusted-issuer.ts'
export type { IssuerTokenClaims } from './capabilities/trusted-issuers/trusted-issuers.ts'
export type { UserTokensApi } from './capabilities/user-tokens/api.ts'
export type {
  CreatedUserToken,
  NewUserToken,
  UserToken,
} from './capabilities/user-tokens/user-token.ts'
export type { ChangeOptions, ReplaceOptions, UsersApi } from './capabilities/users/api.ts'
export type { UserList } from './capabilities/users/list-users.ts'
export type { Mail, SendMail } from './capabilities/users/mail.ts'
export type { ListUsersInput, SortOrder } from './capabilities/users/page.ts'
export type {
  CreateUserInput,
  InviteUserInput,
  PatchUserInput,
  ReplaceUserInput,
} from './capabilities/users/user-input.ts'
export type { WebhooksApi } from './capabilities/webhooks/api.ts'
export type { CreatedWebhook } from './capabilities/webhooks/create-webhook.ts'
export type {
  DisabledReason,
  NewWebhook,
  Webhook,
  WebhookAttempt,
  WebhookChanges,
  WebhookFailure,
  WebhookReplay,
} from './capabilities/webhooks/webhook.ts'
export type {
  AccountMethods,
  AuthMethods,
  ClienteleMethods,
  UserMethods,
} from './clientele/capabilities.ts'
export type {
  Clientele,
  ConsoleMethods,
  JoinedMethods,
  ScimMethods,
} from './clientele/clientele.ts'
export type { ClienteleOptions } from './clientele/clientele-options.ts'
export { createClientele } from './clientele/create-clientele.ts'
export type { ConsoleApi } from './console/api.ts'
export type { ConsoleLink } from './console/create-link.ts'
export type {
  ConsoleOperator,
  ConsoleOptions,
  ConsoleRequest,
} from './console/http/console-options.ts'
export type { BodyFault, HttpRequest, HttpResponse } from './http/message.ts'
export {
  createGuard,
  type Guard,
  type GuardedUser,
  type TokenValidator,
  type Verifier,
} from './mount/create-guard.ts'
export type { GuardedRequest, GuardOptions, GuardResult } from './mount/guard-request.ts'
export { checkHandlerArguments, checkRoutesArguments } from './mount/mount-arguments.ts'
export type { Mountable } from './mount/mountable.ts'
export { type Operation, type SecuritySchemes, toOperationSchema } from './mount/operations.ts'
export { toProblem } from './mount/to-problem.ts'
export { makeRefusals, toRefusal } from './mount/to-refusal.ts'
export { toResponse } from './mount/to-response.ts'
export type {
  JsonSchema,
  MediaTypeObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from './openapi/open-api-document.ts'
export type { Repository } from './repository/repository.ts'
export type { ClientUser, UserResult } from './user-model/client-user.ts'
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
} from './user-model/host-schemas.ts'
export type { StoredUser } from './user-model/stored-user.ts'
