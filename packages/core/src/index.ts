/**
 * A multi-tenant user service to embed in any Node application.
 *
 * @module
 */
export type { TwoFactorMethod, TwoFactorRequired } from './actions/challenge-user.ts'
export type { CreatedApiKey } from './actions/create-api-key.ts'
export type { FirstAccount } from './actions/create-first-account.ts'
export type { ExportRecord } from './actions/export-users.ts'
export type { ImportOptions } from './actions/import-policy.ts'
export type { ImportResult } from './actions/import-result.ts'
export type { Session } from './actions/list-sessions.ts'
export type { UserList } from './actions/list-users.ts'
export type { SignedIn } from './actions/open-session.ts'
export type { TwoFactorState } from './actions/second-factors.ts'
export type { SigningKeyInfo } from './actions/signing-keys.ts'
export type { TotpEnrolment } from './actions/totp-factor.ts'
export type { CreateUserInput, PatchUserInput, ReplaceUserInput } from './actions/user-input.ts'
export type {
  ValidatedIssuerToken,
  ValidatedOwnToken,
  ValidatedToken,
} from './actions/validate-token.ts'
export type {
  Caller,
  ChangeOptions,
  Clientele,
  ReplaceOptions,
  UserResult,
} from './clientele.ts'
export type { ClienteleOptions } from './clientele-options.ts'
export { createClientele } from './create-clientele.ts'
export type { Account, NewAccount, RenameAccount } from './domain/account.ts'
export type { ApiKey, NewApiKey, RotateApiKey, Scope } from './domain/api-key.ts'
export type { ClientUser } from './domain/client-user.ts'
export { type ImportError, type ImportRecord, importColumns } from './domain/import-record.ts'
export type { JsonObject, JsonValue } from './domain/json.ts'
export type { ListUsersInput, SortOrder } from './domain/page.ts'
export type { PasswordPolicy } from './domain/password-policy.ts'
export type { PublicJwk } from './domain/public-jwk.ts'
export type {
  IssuerAlgorithm,
  NewTrustedIssuer,
  TrustedIssuer,
  TrustedIssuerChanges,
  UserClaim,
} from './domain/trusted-issuer.ts'
export {
  ClienteleError,
  type ErrorCode,
  type HttpErrorCode,
  type InputIssue,
  type LocalErrorCode,
  type TokenErrorCode,
} from './errors.ts'
export type { ClienteleEvents, EventListener, EventName } from './events.ts'
export type { BodyFault, HttpRequest, HttpResponse } from './http/contract.ts'
export type { GuardOptions, GuardResult } from './http/guard-request.ts'
export type { HeaderField } from './http/header-fields.ts'
export { checkGuardArguments, checkRoutesArguments } from './http/mount-arguments.ts'
export type { JsonSchema } from './http/openapi/json-schema.ts'
export type {
  MediaDescription,
  OperationDescription,
  ParametersDescription,
  ResponseDescription,
} from './http/openapi/operation-description.ts'
export type { OpenApiDocument, Operation, OperationSchema } from './http/operations.ts'
export type { Logger } from './logger.ts'
export type { Mail, SendMail } from './mail.ts'
export type { ImportBatch, ImportProgress, IssuerRecord, Repository } from './repository.ts'
export type { AccessTokenClaims } from './security/access-tokens.ts'
export type { GuessLimit, RateLimits } from './security/guess-limits.ts'
export type { PasswordHashing } from './security/password-hasher.ts'
export { type PwnedPasswordsOptions, pwnedPasswords } from './security/pwned-passwords.ts'
export { type SigningAlgorithm, signingAlgorithms } from './security/signing-key.ts'
export type { IssuerTokenClaims } from './security/trusted-issuers.ts'
