// Generated from the OpenAPI document: npm test -- http/openapi -u
import type { CallOptions, Lines } from '../operation.ts'
import type { Result } from '../result.ts'
import type {
  AcceptInvitationCode,
  ActivateUserCode,
  BeginPasskeyCode,
  BeginPasskeyLogInCode,
  BeginPasskeyTwoFactorCode,
  ChangeExpiredPasswordCode,
  CompleteTwoFactorCode,
  ConfirmEmailChangeCode,
  ConfirmEmailCode,
  ConfirmTotpCode,
  CreateUserCode,
  CreateUserTokenCode,
  CreateWebhookCode,
  DeactivateUserCode,
  DeleteUserCode,
  DeleteWebhookCode,
  EnrolEmailFactorCode,
  EnrolPasskeyCode,
  EnrolTotpCode,
  EnrolTwoFactorToLogInCode,
  EraseUserCode,
  ExchangeTokenCode,
  ExpirePasswordCode,
  ExportUserCode,
  ExportUsersCode,
  FindUserCode,
  FindWebhookCode,
  ForgotPasswordCode,
  ImpersonateUserCode,
  ImportUsersCode,
  IntrospectTokenCode,
  InviteUserCode,
  LinkIdentityCode,
  ListDevicesCode,
  ListIdentitiesCode,
  ListPasskeysCode,
  ListSessionsCode,
  ListUserTokensCode,
  ListUsersCode,
  ListWebhookAttemptsCode,
  ListWebhooksCode,
  LogInCode,
  LogInWithCodeCode,
  LogInWithIdTokenCode,
  LogInWithPasskeyCode,
  LogOutCode,
  MailSignInCodeCode,
  MailTwoFactorCodeCode,
  PatchUserCode,
  PatchWebhookCode,
  ReadEmailVerificationCode,
  ReadEventsCode,
  ReadJwksCode,
  ReadOpenApiCode,
  ReadOpenIdConfigurationCode,
  ReadRevocationsCode,
  ReadServerMetadataCode,
  ReadTwoFactorCode,
  ReauthenticateCode,
  RefreshSessionCode,
  RemoveDeviceCode,
  RemoveDevicesCode,
  RemovePasskeyCode,
  RemoveTwoFactorCode,
  RenamePasskeyCode,
  RenameUserTokenCode,
  RenewRecoveryCodesCode,
  ReplaceUserCode,
  ReplayWebhookCode,
  RequestEmailChangeCode,
  RequestEmailVerificationCode,
  ResetPasswordCode,
  RevokeSessionCode,
  RevokeSessionsCode,
  RevokeUserTokenCode,
  RevokeUserTokensCode,
  RotateWebhookSecretCode,
  SendInvitationCode,
  TestWebhookCode,
  UndoEmailChangeCode,
  UnlinkIdentityCode,
  ValidateTokenCode,
  ValidateTokensCode,
} from './codes.ts'
import type {
  AcceptInvitation,
  BeginPasskey,
  BeginPasskeyLogIn,
  BegunPasskey,
  BegunPasskeyLogIn,
  ChallengeOnly,
  ChangeExpiredPassword,
  ClientUser,
  CodeLogIn,
  CompleteTwoFactor,
  ConfirmEmail,
  ConfirmTotp,
  CreateUser,
  CreateWebhook,
  CreatedUserToken,
  CreatedWebhook,
  DeviceList,
  EmailChangeRequest,
  EmailChangeToken,
  EmailTokenRequest,
  EmailVerification,
  EnrolPasskey,
  EnrolToLogIn,
  Erasure,
  EventFeed,
  ExchangeToken,
  ExchangedToken,
  ExportedUser,
  Identity,
  IdentityList,
  Impersonate,
  Impersonation,
  ImportResult,
  ImportUser,
  IntrospectToken,
  InviteUser,
  IssuerMetadata,
  Jwks,
  LinkIdentity,
  LogIn,
  LogInWithIdToken,
  MailSignInCode,
  MailTwoFactorCode,
  MailedSignInCode,
  NewUserToken,
  Passkey,
  PasskeyList,
  PasskeyLogIn,
  PasskeyTwoFactor,
  PasswordChangeRequired,
  PatchUser,
  PatchWebhook,
  PersonalData,
  Reauthenticate,
  RecoveryCodes,
  Refresh,
  RenamePasskey,
  RenameUserToken,
  ReplaceUser,
  ReplayWebhook,
  ResetPassword,
  RevocationFeed,
  SendInvitation,
  SessionList,
  SignedIn,
  TokenIntrospection,
  TokenValidation,
  TokenValidations,
  TotpEnrolment,
  TwoFactorEnrolmentRequired,
  TwoFactorRequired,
  TwoFactorState,
  UserList,
  UserToken,
  UserTokenList,
  ValidateToken,
  ValidateTokens,
  Webhook,
  WebhookAttempts,
  WebhookList,
  WebhookSecret,
} from './schemas.ts'

export interface CreateUserOptions extends CallOptions {
  /** A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and the same input gets the first response and does nothing. Bare or in quotes. */
  'Idempotency-Key'?: string | undefined
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface ListUsersOptions extends CallOptions {
  /** From 1. Excludes cursor. */
  page?: number | undefined
  /** Users per page. */
  limit?: number | undefined
  /** Creation order, oldest first, unless given. */
  sort?: 'created_at' | '-created_at' | 'email' | '-email' | 'name' | '-name' | undefined
  /** Opaque, from the Link header. Excludes page. */
  cursor?: string | undefined
  /** Exact, after the same normalisation as on creation. */
  email?: string | undefined
  /** Prefix of a word of the name, or of the e-mail, case-insensitive. */
  q?: string | undefined
  /** Users who have this role. */
  role?: string | undefined
  /** Only users created after this date and time with offset. Sorts by created_at unless sort is given. */
  created_after?: string | undefined
  /** Only users created before this date and time with offset. */
  created_before?: string | undefined
  is_active?: boolean | undefined
}

export interface ReplaceUserOptions extends CallOptions {
  /** The session (`sid`) that survives a new password, which ends all others. */
  keep_session?: string | undefined
  /** Whether the new password ends the user's own tokens, too. Needs a password. */
  revoke_tokens?: boolean | undefined
  /** Act only if the user still has one of these ETags (RFC 9110): "3", or a list of them, or *. `W/"3"` is `"3"`. */
  'If-Match'?: string | undefined
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface PatchUserOptions extends CallOptions {
  /** The session (`sid`) that survives a new password, which ends all others. */
  keep_session?: string | undefined
  /** Whether the new password ends the user's own tokens, too. Needs a password. */
  revoke_tokens?: boolean | undefined
  /** Act only if the user still has one of these ETags (RFC 9110): "3", or a list of them, or *. `W/"3"` is `"3"`. */
  'If-Match'?: string | undefined
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface DeleteUserOptions extends CallOptions {
  /** Act only if the user still has one of these ETags (RFC 9110): "3", or a list of them, or *. `W/"3"` is `"3"`. */
  'If-Match'?: string | undefined
}

export interface ActivateUserOptions extends CallOptions {
  /** A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and the same input gets the first response and does nothing. Bare or in quotes. */
  'Idempotency-Key'?: string | undefined
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface DeactivateUserOptions extends CallOptions {
  /** A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and the same input gets the first response and does nothing. Bare or in quotes. */
  'Idempotency-Key'?: string | undefined
}

export interface InviteUserOptions extends CallOptions {
  /** A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and the same input gets the first response and does nothing. Bare or in quotes. */
  'Idempotency-Key'?: string | undefined
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface ExportUserOptions extends CallOptions {
  /** `next_cursor` of the previous response. Default: the oldest event */
  after?: string | undefined
  /** The maximum number of events */
  limit?: number | undefined
}

export interface EraseUserOptions extends CallOptions {
  /** A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and the same input gets the first response and does nothing. Bare or in quotes. */
  'Idempotency-Key'?: string | undefined
}

export interface ImportUsersOptions extends CallOptions {
  /** Whether an invalid line ends the import, after the lines before it, or is skipped */
  on_error?: 'stop' | 'skip' | undefined
  /** What to do with a line whose e-mail or id a user of the account has. Default: as `on_error` */
  on_conflict?: 'stop' | 'skip' | 'update' | undefined
  /** What to do with a line whose password hash cannot be verified; `reset` imports the user without a password. Default: as `on_error` */
  unknown_hash?: 'stop' | 'skip' | 'reset' | undefined
  /** Whether nothing is stored, and the result says what would happen */
  dry_run?: boolean | undefined
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface LogInOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface LogInWithIdTokenOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface ReauthenticateOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface LogInWithCodeOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface CompleteTwoFactorOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface EnrolTwoFactorToLogInOptions extends CallOptions {
  /** Adds the URI as a QR code in SVG. */
  qr?: 'svg' | undefined
}

export interface EnrolTotpOptions extends CallOptions {
  /** Adds the URI as a QR code in SVG. */
  qr?: 'svg' | undefined
}

export interface LogInWithPasskeyOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface RefreshSessionOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface ImpersonateUserOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface ChangeExpiredPasswordOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface ConfirmEmailChangeOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface UndoEmailChangeOptions extends CallOptions {
  /** A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and spaces between them. It is not stored. */
  'Clientele-Hook-Context'?: string | undefined
}

export interface ReadEventsOptions extends CallOptions {
  /** `next_cursor` of the previous response. Default: the oldest stored event */
  after?: string | undefined
  limit?: number | undefined
  /** How many seconds to wait if there are no events */
  wait?: number | undefined
  /** Types of events, separated by commas: `user.created`, or a group like `user.*` */
  type?: string | undefined
  /** Only events about this user */
  user_id?: string | undefined
  /** Only events by actors of this kind */
  actor?: 'api_key' | 'user' | 'operator' | 'system' | undefined
  /** Starts at the first event from then on */
  since?: string | undefined
  /** `-created_at` reads backwards, newest first, and does not wait: `after` continues with older events */
  sort?: 'created_at' | '-created_at' | undefined
}

export interface ReadRevocationsOptions extends CallOptions {
  /** `next_cursor` of the previous response. Default: all revocations of tokens that have not expired */
  after?: string | undefined
  limit?: number | undefined
  /** How many seconds to wait if there are no revocations */
  wait?: number | undefined
}

export interface TestWebhookOptions extends CallOptions {
  /** A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and the same input gets the first response and does nothing. Bare or in quotes. */
  'Idempotency-Key'?: string | undefined
}

export interface ReplayWebhookOptions extends CallOptions {
  /** A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and the same input gets the first response and does nothing. Bare or in quotes. */
  'Idempotency-Key'?: string | undefined
}

/** The operations by their ids. Needed scopes are those of the API key. */
export interface ClientMethods {
  /** Create a user. Needs an API key with the scope `users:write`. */
  createUser(body: CreateUser, options?: CreateUserOptions): Promise<Result<ClientUser, CreateUserCode>>
  /** List users, in the order of their creation by default. Needs an API key with the scope `users:read`. */
  listUsers(options?: ListUsersOptions): Promise<Result<UserList, ListUsersCode>>
  /** Read a user. Needs an API key with the scope `users:read`. Without data where it has not changed (304). */
  findUser(id: string, options: CallOptions & { 'If-None-Match': string }): Promise<Result<ClientUser | undefined, FindUserCode>>
  /** Read a user. Needs an API key with the scope `users:read`. */
  findUser(id: string, options?: CallOptions): Promise<Result<ClientUser, FindUserCode>>
  /** Replace a user: missing roles and metadata become empty, a missing password stays. Needs an API key with the scope `users:write`. */
  replaceUser(id: string, body: ReplaceUser, options?: ReplaceUserOptions): Promise<Result<ClientUser, ReplaceUserCode>>
  /** Change some fields of a user: JSON Merge Patch (RFC 7396). Needs an API key with the scope `users:write`. */
  patchUser(id: string, body: PatchUser, options?: PatchUserOptions): Promise<Result<ClientUser, PatchUserCode>>
  /** Delete a user permanently, with their sessions and secrets. Needs an API key with the scope `users:write`. */
  deleteUser(id: string, options?: DeleteUserOptions): Promise<Result<undefined, DeleteUserCode>>
  /** Activate a user, who can then sign in again. Needs an API key with the scope `users:write`. */
  activateUser(id: string, options?: ActivateUserOptions): Promise<Result<ClientUser, ActivateUserCode>>
  /** Deactivate a user: they cannot sign in, and their tokens are no longer valid. Needs an API key with the scope `users:write`. */
  deactivateUser(id: string, options?: DeactivateUserOptions): Promise<Result<ClientUser, DeactivateUserCode>>
  /** Create a user without a password, and e-mail a token that sets one. Needs an API key with the scope `users:write`. */
  inviteUser(body: InviteUser, options?: InviteUserOptions): Promise<Result<ClientUser, InviteUserCode>>
  /** E-mail an invitation to an existing user; an earlier one ends. Needs an API key with the scope `users:write`. */
  sendInvitation(id: string, body: SendInvitation, options?: CallOptions): Promise<Result<undefined, SendInvitationCode>>
  /** Accept an invitation with its e-mailed token: set the password, verify the address. Needs an API key with the scope `tokens:issue`. */
  acceptInvitation(body: AcceptInvitation, options?: CallOptions): Promise<Result<undefined, AcceptInvitationCode>>
  /** Read all stored data about a person. Needs an API key with the scope `users:read`. */
  exportUser(id: string, options?: ExportUserOptions): Promise<Result<PersonalData, ExportUserCode>>
  /** Delete a user permanently, and remove the person from the rows that stay. Needs an API key with the scope `users:write`. */
  eraseUser(id: string, options?: EraseUserOptions): Promise<Result<Erasure, EraseUserCode>>
  /** Import users, one per line (NDJSON). Needs an API key with the scope `users:write`. */
  importUsers(body: Lines<ImportUser>, options?: ImportUsersOptions): Promise<Result<ImportResult, ImportUsersCode>>
  /** Read all users, one per line (NDJSON), in the order of their creation. Needs an API key with the scope `users:read`. */
  exportUsers(options?: CallOptions): Promise<Result<AsyncIterable<ExportedUser>, ExportUsersCode>>
  /** Validate a token and read its user. Needs an API key with the scope `tokens:validate`. */
  validateToken(body: ValidateToken, options?: CallOptions): Promise<Result<TokenValidation, ValidateTokenCode>>
  /** Validate up to 100 tokens and read their users. Needs an API key with the scope `tokens:validate`. */
  validateTokens(body: ValidateTokens, options?: CallOptions): Promise<Result<TokenValidations, ValidateTokensCode>>
  /** Exchange a user's own token for a JWT of at most ten minutes. Needs an API key with the scope `tokens:issue`. */
  exchangeToken(body: ExchangeToken, options?: CallOptions): Promise<Result<ExchangedToken, ExchangeTokenCode>>
  /** Introspect a token (RFC 7662). Needs an API key with the scope `tokens:validate`. */
  introspectToken(body: IntrospectToken, options?: CallOptions): Promise<Result<TokenIntrospection, IntrospectTokenCode>>
  /** Sign a user in with e-mail and password. Needs an API key with the scope `tokens:issue`. */
  logIn(body: LogIn, options?: LogInOptions): Promise<Result<SignedIn | TwoFactorRequired | TwoFactorEnrolmentRequired | PasswordChangeRequired, LogInCode>>
  /** Sign a user in with an ID token of an issuer that the account trusts for it. Needs an API key with the scope `tokens:issue`. */
  logInWithIdToken(body: LogInWithIdToken, options?: LogInWithIdTokenOptions): Promise<Result<SignedIn | TwoFactorRequired | TwoFactorEnrolmentRequired | PasswordChangeRequired, LogInWithIdTokenCode>>
  /** Continue a session after its user has shown a password or a second factor again. Needs an API key with the scope `tokens:issue`. */
  reauthenticate(body: Reauthenticate, options?: ReauthenticateOptions): Promise<Result<SignedIn, ReauthenticateCode>>
  /** E-mail a code and a token for a link that sign in, with the challenge of this response. Needs an API key with the scope `tokens:issue`. */
  mailSignInCode(body: MailSignInCode, options?: CallOptions): Promise<Result<MailedSignInCode, MailSignInCodeCode>>
  /** Sign a user in with an e-mailed code, or the token of the link. Needs an API key with the scope `tokens:issue`. */
  logInWithCode(body: CodeLogIn, options?: LogInWithCodeOptions): Promise<Result<SignedIn | TwoFactorRequired | TwoFactorEnrolmentRequired | PasswordChangeRequired, LogInWithCodeCode>>
  /** Complete a sign-in by answering its challenge. Needs an API key with the scope `tokens:issue`. */
  completeTwoFactor(body: CompleteTwoFactor, options?: CompleteTwoFactorOptions): Promise<Result<SignedIn | PasswordChangeRequired, CompleteTwoFactorCode>>
  /** E-mail a code for the challenge of a sign-in. Needs an API key with the scope `tokens:issue`. */
  mailTwoFactorCode(body: MailTwoFactorCode, options?: CallOptions): Promise<Result<undefined, MailTwoFactorCodeCode>>
  /** Begin to answer the challenge of a sign-in with a passkey. Needs an API key with the scope `tokens:issue`. */
  beginPasskeyTwoFactor(body: ChallengeOnly, options?: CallOptions): Promise<Result<PasskeyTwoFactor, BeginPasskeyTwoFactorCode>>
  /** Begin to enrol the second factor that a sign-in asks for. Needs an API key with the scope `tokens:issue`. */
  enrolTwoFactorToLogIn(body: EnrolToLogIn, options?: EnrolTwoFactorToLogInOptions): Promise<Result<TotpEnrolment | undefined, EnrolTwoFactorToLogInCode>>
  /** Read which second factors a user has. Needs an API key with the scope `users:read`. */
  readTwoFactor(id: string, options?: CallOptions): Promise<Result<TwoFactorState, ReadTwoFactorCode>>
  /** Remove every second factor of a user. Needs an API key with the scope `users:write`. */
  removeTwoFactor(id: string, options?: CallOptions): Promise<Result<undefined, RemoveTwoFactorCode>>
  /** Begin to enrol an authenticator app (RFC 6238). Needs an API key with the scope `users:write`. */
  enrolTotp(id: string, options?: EnrolTotpOptions): Promise<Result<TotpEnrolment, EnrolTotpCode>>
  /** Confirm an authenticator app with one of its codes. Needs an API key with the scope `users:write`. */
  confirmTotp(id: string, body: ConfirmTotp, options?: CallOptions): Promise<Result<RecoveryCodes, ConfirmTotpCode>>
  /** Replace the recovery codes by new ones. Needs an API key with the scope `users:write`. */
  renewRecoveryCodes(id: string, options?: CallOptions): Promise<Result<RecoveryCodes, RenewRecoveryCodesCode>>
  /** Enable e-mailed codes as a second factor of a user. Needs an API key with the scope `users:write`. */
  enrolEmailFactor(id: string, options?: CallOptions): Promise<Result<undefined, EnrolEmailFactorCode>>
  /** Begin to enrol a passkey (WebAuthn). Needs an API key with the scope `users:write`. */
  beginPasskey(id: string, body: BeginPasskey, options?: CallOptions): Promise<Result<BegunPasskey, BeginPasskeyCode>>
  /** Enrol the passkey that the browser has created. Needs an API key with the scope `users:write`. */
  enrolPasskey(id: string, body: EnrolPasskey, options?: CallOptions): Promise<Result<Passkey, EnrolPasskeyCode>>
  /** List a user's passkeys, oldest first. Needs an API key with the scope `users:read`. */
  listPasskeys(id: string, options?: CallOptions): Promise<Result<PasskeyList, ListPasskeysCode>>
  /** Rename a passkey. Needs an API key with the scope `users:write`. */
  renamePasskey(id: string, passkey_id: string, body: RenamePasskey, options?: CallOptions): Promise<Result<Passkey, RenamePasskeyCode>>
  /** Remove a passkey from a user. Needs an API key with the scope `users:write`. */
  removePasskey(id: string, passkey_id: string, options?: CallOptions): Promise<Result<undefined, RemovePasskeyCode>>
  /** Begin a sign-in with a passkey; does not reveal whether an e-mail is known. Needs an API key with the scope `tokens:issue`. */
  beginPasskeyLogIn(body: BeginPasskeyLogIn, options?: CallOptions): Promise<Result<BegunPasskeyLogIn, BeginPasskeyLogInCode>>
  /** Sign a user in with a passkey. Needs an API key with the scope `tokens:issue`. */
  logInWithPasskey(body: PasskeyLogIn, options?: LogInWithPasskeyOptions): Promise<Result<SignedIn, LogInWithPasskeyCode>>
  /** Refresh a session: each refresh token works once and yields its successor. Needs an API key with the scope `tokens:issue`. */
  refreshSession(body: Refresh, options?: RefreshSessionOptions): Promise<Result<SignedIn, RefreshSessionCode>>
  /** End the session of a refresh token, and revoke its tokens. Needs an API key with the scope `tokens:issue`. */
  logOut(body: Refresh, options?: CallOptions): Promise<Result<undefined, LogOutCode>>
  /** List a user's live sessions, oldest first. Needs an API key with the scope `users:read`. */
  listSessions(id: string, options?: CallOptions): Promise<Result<SessionList, ListSessionsCode>>
  /** End every session of a user. Needs an API key with the scope `users:write`. */
  revokeSessions(id: string, options?: CallOptions): Promise<Result<undefined, RevokeSessionsCode>>
  /** End one session of a user. Needs an API key with the scope `users:write`. */
  revokeSession(id: string, session_id: string, options?: CallOptions): Promise<Result<undefined, RevokeSessionCode>>
  /** List a user's remembered devices, oldest first. Needs an API key with the scope `users:read`. */
  listDevices(id: string, options?: CallOptions): Promise<Result<DeviceList, ListDevicesCode>>
  /** Forget every device of a user. Needs an API key with the scope `users:write`. */
  removeDevices(id: string, options?: CallOptions): Promise<Result<undefined, RemoveDevicesCode>>
  /** Forget one device of a user. Needs an API key with the scope `users:write`. */
  removeDevice(id: string, device_id: string, options?: CallOptions): Promise<Result<undefined, RemoveDeviceCode>>
  /** Open a session for a person who acts as a user: the event has actor and reason. Needs an API key with the scope `users:impersonate`. */
  impersonateUser(id: string, body: Impersonate, options?: ImpersonateUserOptions): Promise<Result<Impersonation, ImpersonateUserCode>>
  /** Make a token that belongs to a user. Needs an API key with the scope `users:write`. */
  createUserToken(id: string, body: NewUserToken, options?: CallOptions): Promise<Result<CreatedUserToken, CreateUserTokenCode>>
  /** List a user's own tokens, oldest first. Needs an API key with the scope `users:read`. */
  listUserTokens(id: string, options?: CallOptions): Promise<Result<UserTokenList, ListUserTokensCode>>
  /** Revoke every token of a user's own. Needs an API key with the scope `users:write`. */
  revokeUserTokens(id: string, options?: CallOptions): Promise<Result<undefined, RevokeUserTokensCode>>
  /** Rename one of a user's own tokens. Needs an API key with the scope `users:write`. */
  renameUserToken(id: string, token_id: string, body: RenameUserToken, options?: CallOptions): Promise<Result<UserToken, RenameUserTokenCode>>
  /** Revoke one of a user's own tokens. Needs an API key with the scope `users:write`. */
  revokeUserToken(id: string, token_id: string, options?: CallOptions): Promise<Result<undefined, RevokeUserTokenCode>>
  /** Make a user choose another password at the next sign-in with it; sessions go on. Needs an API key with the scope `users:write`. */
  expirePassword(id: string, options?: CallOptions): Promise<Result<undefined, ExpirePasswordCode>>
  /** Complete a sign-in whose password has expired with another password. Needs an API key with the scope `tokens:issue`. */
  changeExpiredPassword(body: ChangeExpiredPassword, options?: ChangeExpiredPasswordOptions): Promise<Result<SignedIn, ChangeExpiredPasswordCode>>
  /** List the identities of a user at other issuers, oldest first. Needs an API key with the scope `users:read`. */
  listIdentities(id: string, options?: CallOptions): Promise<Result<IdentityList, ListIdentitiesCode>>
  /** Link an identity at another issuer to a user. Needs an API key with the scope `users:write`. */
  linkIdentity(id: string, body: LinkIdentity, options?: CallOptions): Promise<Result<Identity, LinkIdentityCode>>
  /** Unlink an identity from a user. Needs an API key with the scope `users:write`. */
  unlinkIdentity(id: string, identity_id: string, options?: CallOptions): Promise<Result<undefined, UnlinkIdentityCode>>
  /** E-mail the new address a token that confirms it, and the present one a notice. Needs an API key with the scope `users:write`. */
  requestEmailChange(id: string, body: EmailChangeRequest, options?: CallOptions): Promise<Result<undefined, RequestEmailChangeCode>>
  /** Give a user the new address with the token that was e-mailed to it. Needs an API key with the scope `tokens:issue`. */
  confirmEmailChange(body: EmailChangeToken, options?: ConfirmEmailChangeOptions): Promise<Result<undefined, ConfirmEmailChangeCode>>
  /** Cancel a change of an address, or take it back, with the token of the notice. Needs an API key with the scope `tokens:issue`. */
  undoEmailChange(body: EmailChangeToken, options?: UndoEmailChangeOptions): Promise<Result<undefined, UndoEmailChangeCode>>
  /** E-mail a token that sets a new password. Needs an API key with the scope `tokens:issue`. */
  forgotPassword(body: EmailTokenRequest, options?: CallOptions): Promise<Result<undefined, ForgotPasswordCode>>
  /** Set a new password with an e-mail token; every session of the user ends. Needs an API key with the scope `tokens:issue`. */
  resetPassword(body: ResetPassword, options?: CallOptions): Promise<Result<undefined, ResetPasswordCode>>
  /** E-mail a token that verifies the address. Needs an API key with the scope `tokens:issue`. */
  requestEmailVerification(body: EmailTokenRequest, options?: CallOptions): Promise<Result<undefined, RequestEmailVerificationCode>>
  /** Verify the address with an e-mail token. Needs an API key with the scope `tokens:issue`. */
  confirmEmail(body: ConfirmEmail, options?: CallOptions): Promise<Result<undefined, ConfirmEmailCode>>
  /** Read when the present address of a user was verified. Needs an API key with the scope `users:read`. */
  readEmailVerification(id: string, options?: CallOptions): Promise<Result<EmailVerification, ReadEmailVerificationCode>>
  /** The public keys that verify the account's tokens (RFC 7517). */
  readJwks(account_id: string, options?: CallOptions): Promise<Result<Jwks, ReadJwksCode>>
  /** The metadata for verifiers of the account's tokens, found by the issuer's URL (OpenID Connect Discovery). */
  readOpenIdConfiguration(account_id: string, options?: CallOptions): Promise<Result<IssuerMetadata, ReadOpenIdConfigurationCode>>
  /** The metadata for verifiers of the account's tokens, found by the issuer's URL (RFC 8414). */
  readServerMetadata(account_id: string, options?: CallOptions): Promise<Result<IssuerMetadata, ReadServerMetadataCode>>
  /** Read the feed of events, oldest first or newest first. Needs an API key with the scope `events:read`. */
  readEvents(options?: ReadEventsOptions): Promise<Result<EventFeed, ReadEventsCode>>
  /** Read the revocations of tokens, oldest first. Needs an API key with the scope `tokens:validate`. */
  readRevocations(options?: ReadRevocationsOptions): Promise<Result<RevocationFeed, ReadRevocationsCode>>
  /** Add an endpoint, which receives all later events. Needs an API key with the scope `webhooks:write`. */
  createWebhook(body: CreateWebhook, options?: CallOptions): Promise<Result<CreatedWebhook, CreateWebhookCode>>
  /** List the endpoints, oldest first. Needs an API key with the scope `webhooks:write`. */
  listWebhooks(options?: CallOptions): Promise<Result<WebhookList, ListWebhooksCode>>
  /** Read an endpoint. Needs an API key with the scope `webhooks:write`. */
  findWebhook(id: string, options?: CallOptions): Promise<Result<Webhook, FindWebhookCode>>
  /** Change an endpoint; missing members stay. Needs an API key with the scope `webhooks:write`. */
  patchWebhook(id: string, body: PatchWebhook, options?: CallOptions): Promise<Result<Webhook, PatchWebhookCode>>
  /** Delete an endpoint and its waiting deliveries. Needs an API key with the scope `webhooks:write`. */
  deleteWebhook(id: string, options?: CallOptions): Promise<Result<undefined, DeleteWebhookCode>>
  /** Rotate the secret; for 24 hours the previous one signs, too. Needs an API key with the scope `webhooks:write`. */
  rotateWebhookSecret(id: string, options?: CallOptions): Promise<Result<WebhookSecret, RotateWebhookSecretCode>>
  /** Send a test message once: a body like an event’s, of the type webhook.test. Needs an API key with the scope `webhooks:write`. */
  testWebhook(id: string, options?: TestWebhookOptions): Promise<Result<undefined, TestWebhookCode>>
  /** Resend every event after a cursor of the feed. Needs an API key with the scope `webhooks:write`. */
  replayWebhook(id: string, body: ReplayWebhook, options?: ReplayWebhookOptions): Promise<Result<undefined, ReplayWebhookCode>>
  /** List the last delivery attempts, latest first. Needs an API key with the scope `webhooks:write`. */
  listWebhookAttempts(id: string, options?: CallOptions): Promise<Result<WebhookAttempts, ListWebhookAttemptsCode>>
  /** This document (OpenAPI 3.1). */
  readOpenApi(options?: CallOptions): Promise<Result<{
    openapi: string
    [member: string]: unknown
  }, ReadOpenApiCode>>
}
