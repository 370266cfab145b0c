// Generated from the OpenAPI document: npm test -- http/openapi -u

/** What every operation that needs an API key can come to. */
export type KeyCode =
  | 'header_repeated'
  | 'api_key_missing'
  | 'api_key_invalid'
  | 'scope_insufficient'
  | 'validation_failed'
  | 'internal_error'
  | 'storage_unavailable'
  | 'overloaded'

/** What every operation that takes JSON can come to, too. */
export type BodyCode = 'malformed_json' | 'body_too_large' | 'media_type_unsupported'

/** What every operation that takes an `Idempotency-Key` can come to, too. */
export type IdempotencyCode =
  | 'header_invalid'
  | 'idempotency_in_progress'
  | 'idempotency_key_reused'

export type CreateUserCode =
  | KeyCode
  | BodyCode
  | IdempotencyCode
  | 'refused_by_hook'
  | 'email_taken'
  | 'hook_failed'
  | 'hook_unavailable'

export type ListUsersCode = KeyCode

export type FindUserCode = KeyCode | 'header_invalid' | 'user_not_found'

export type ReplaceUserCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'refused_by_hook'
  | 'user_not_found'
  | 'email_taken'
  | 'precondition_failed'
  | 'hook_failed'
  | 'hook_unavailable'

export type PatchUserCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'refused_by_hook'
  | 'user_not_found'
  | 'email_taken'
  | 'precondition_failed'
  | 'hook_failed'
  | 'hook_unavailable'

export type DeleteUserCode = KeyCode | 'header_invalid' | 'user_not_found' | 'precondition_failed'

export type ActivateUserCode =
  | KeyCode
  | IdempotencyCode
  | 'refused_by_hook'
  | 'user_not_found'
  | 'hook_failed'
  | 'hook_unavailable'

export type DeactivateUserCode = KeyCode | IdempotencyCode | 'user_not_found'

export type InviteUserCode =
  | KeyCode
  | BodyCode
  | IdempotencyCode
  | 'refused_by_hook'
  | 'email_taken'
  | 'mail_unavailable'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type SendInvitationCode =
  | KeyCode
  | BodyCode
  | 'user_not_found'
  | 'invitation_accepted'
  | 'user_inactive'
  | 'mail_unavailable'
  | 'rate_limited'

export type AcceptInvitationCode = KeyCode | BodyCode | 'invitation_invalid'

export type ExportUserCode = KeyCode | 'user_not_found'

export type EraseUserCode = KeyCode | IdempotencyCode | 'user_not_found'

export type ImportUsersCode =
  | KeyCode
  | 'malformed_json'
  | 'header_invalid'
  | 'refused_by_hook'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'hook_failed'
  | 'hook_unavailable'

export type ExportUsersCode = KeyCode

export type ValidateTokenCode =
  | KeyCode
  | BodyCode
  | 'token_malformed'
  | 'token_signature_invalid'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_claims_invalid'
  | 'token_unknown_key'
  | 'token_revoked'
  | 'token_user_not_found'
  | 'token_user_inactive'

export type ValidateTokensCode = KeyCode | BodyCode

export type ExchangeTokenCode =
  | KeyCode
  | BodyCode
  | 'token_malformed'
  | 'token_signature_invalid'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_claims_invalid'
  | 'token_unknown_key'
  | 'token_revoked'
  | 'token_user_not_found'
  | 'token_user_inactive'

export type IntrospectTokenCode = KeyCode | 'body_too_large' | 'media_type_unsupported'

export type LogInCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'credentials_invalid'
  | 'sign_in_method_disabled'
  | 'email_not_verified'
  | 'refused_by_hook'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type LogInWithIdTokenCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'token_malformed'
  | 'token_signature_invalid'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_claims_invalid'
  | 'token_unknown_key'
  | 'token_revoked'
  | 'token_user_not_found'
  | 'token_user_inactive'
  | 'sign_in_method_disabled'
  | 'refused_by_hook'
  | 'email_taken'
  | 'identity_taken'
  | 'identity_limit_reached'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type ReauthenticateCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'refresh_token_invalid'
  | 'credentials_invalid'
  | 'two_factor_code_invalid'
  | 'sign_in_method_disabled'
  | 'refused_by_hook'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type MailSignInCodeCode =
  | KeyCode
  | BodyCode
  | 'sign_in_method_disabled'
  | 'mail_unavailable'
  | 'rate_limited'

export type LogInWithCodeCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'challenge_invalid'
  | 'sign_in_code_invalid'
  | 'sign_in_method_disabled'
  | 'refused_by_hook'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type CompleteTwoFactorCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'challenge_invalid'
  | 'two_factor_code_invalid'
  | 'passkey_invalid'
  | 'sign_in_method_disabled'
  | 'email_not_verified'
  | 'refused_by_hook'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type MailTwoFactorCodeCode =
  | KeyCode
  | BodyCode
  | 'challenge_invalid'
  | 'sign_in_method_disabled'
  | 'email_not_verified'
  | 'two_factor_not_enrolled'
  | 'mail_unavailable'
  | 'rate_limited'

export type BeginPasskeyTwoFactorCode =
  | KeyCode
  | BodyCode
  | 'challenge_invalid'
  | 'sign_in_method_disabled'
  | 'email_not_verified'
  | 'two_factor_not_enrolled'
  | 'passkeys_not_configured'

export type EnrolTwoFactorToLogInCode =
  | KeyCode
  | BodyCode
  | 'challenge_invalid'
  | 'sign_in_method_disabled'
  | 'email_not_verified'
  | 'two_factor_already_enrolled'
  | 'mail_unavailable'
  | 'rate_limited'

export type ReadTwoFactorCode = KeyCode | 'user_not_found'

export type RemoveTwoFactorCode = KeyCode | 'user_not_found'

export type EnrolTotpCode = KeyCode | 'user_not_found' | 'two_factor_already_enrolled'

export type ConfirmTotpCode =
  | KeyCode
  | BodyCode
  | 'two_factor_code_invalid'
  | 'user_not_found'
  | 'two_factor_not_enrolled'
  | 'two_factor_already_enrolled'
  | 'rate_limited'

export type RenewRecoveryCodesCode = KeyCode | 'user_not_found' | 'two_factor_not_enrolled'

export type EnrolEmailFactorCode = KeyCode | 'user_not_found' | 'mail_unavailable'

export type BeginPasskeyCode =
  | KeyCode
  | BodyCode
  | 'token_missing'
  | 'token_malformed'
  | 'token_signature_invalid'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_claims_invalid'
  | 'token_unknown_key'
  | 'token_revoked'
  | 'token_user_not_found'
  | 'token_user_inactive'
  | 'impersonation_refused'
  | 'user_not_found'
  | 'passkeys_not_configured'
  | 'passkey_limit_reached'
  | 'rate_limited'

export type EnrolPasskeyCode =
  | KeyCode
  | BodyCode
  | 'challenge_invalid'
  | 'passkey_invalid'
  | 'token_missing'
  | 'user_not_found'
  | 'passkeys_not_configured'
  | 'passkey_taken'
  | 'passkey_limit_reached'
  | 'rate_limited'

export type ListPasskeysCode = KeyCode | 'user_not_found'

export type RenamePasskeyCode = KeyCode | BodyCode | 'user_not_found' | 'passkey_not_found'

export type RemovePasskeyCode = KeyCode | 'user_not_found' | 'passkey_not_found'

export type BeginPasskeyLogInCode =
  | KeyCode
  | BodyCode
  | 'sign_in_method_disabled'
  | 'passkeys_not_configured'

export type LogInWithPasskeyCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'challenge_invalid'
  | 'passkey_invalid'
  | 'sign_in_method_disabled'
  | 'refused_by_hook'
  | 'passkeys_not_configured'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type RefreshSessionCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'refresh_token_invalid'
  | 'refused_by_hook'
  | 'rate_limited'
  | 'hook_failed'
  | 'hook_unavailable'

export type LogOutCode = KeyCode | BodyCode

export type ListSessionsCode = KeyCode | 'user_not_found'

export type RevokeSessionsCode = KeyCode | 'user_not_found'

export type RevokeSessionCode = KeyCode | 'session_not_found'

export type ListDevicesCode = KeyCode | 'user_not_found'

export type RemoveDevicesCode = KeyCode | 'user_not_found'

export type RemoveDeviceCode = KeyCode | 'device_not_found'

export type ImpersonateUserCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'refused_by_hook'
  | 'user_not_found'
  | 'user_inactive'
  | 'impersonation_limit_reached'
  | 'hook_failed'
  | 'hook_unavailable'

export type CreateUserTokenCode =
  | KeyCode
  | BodyCode
  | 'user_not_found'
  | 'user_inactive'
  | 'user_token_limit_reached'

export type ListUserTokensCode = KeyCode | 'user_not_found'

export type RevokeUserTokensCode = KeyCode | 'user_not_found'

export type RenameUserTokenCode = KeyCode | BodyCode | 'user_token_not_found'

export type RevokeUserTokenCode = KeyCode | 'user_token_not_found'

export type ExpirePasswordCode = KeyCode | 'user_not_found'

export type ChangeExpiredPasswordCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'challenge_invalid'
  | 'sign_in_method_disabled'
  | 'email_not_verified'
  | 'refused_by_hook'
  | 'hook_failed'
  | 'hook_unavailable'

export type ListIdentitiesCode = KeyCode | 'user_not_found'

export type LinkIdentityCode =
  | KeyCode
  | BodyCode
  | 'user_not_found'
  | 'identity_taken'
  | 'identity_limit_reached'

export type UnlinkIdentityCode = KeyCode | 'user_not_found' | 'identity_not_found'

export type RequestEmailChangeCode =
  | KeyCode
  | BodyCode
  | 'user_not_found'
  | 'user_inactive'
  | 'mail_unavailable'
  | 'rate_limited'

export type ConfirmEmailChangeCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'email_change_invalid'
  | 'refused_by_hook'
  | 'email_taken'
  | 'hook_failed'
  | 'hook_unavailable'

export type UndoEmailChangeCode =
  | KeyCode
  | BodyCode
  | 'header_invalid'
  | 'email_change_invalid'
  | 'refused_by_hook'
  | 'email_taken'
  | 'hook_failed'
  | 'hook_unavailable'

export type ForgotPasswordCode = KeyCode | BodyCode | 'rate_limited'

export type ResetPasswordCode = KeyCode | BodyCode | 'reset_token_invalid'

export type RequestEmailVerificationCode = KeyCode | BodyCode | 'rate_limited'

export type ConfirmEmailCode = KeyCode | BodyCode | 'verification_token_invalid'

export type ReadEmailVerificationCode = KeyCode | 'user_not_found'

export type ReadJwksCode =
  | 'account_not_found'
  | 'method_not_allowed'
  | 'validation_failed'
  | 'internal_error'
  | 'storage_unavailable'

export type ReadOpenIdConfigurationCode =
  | 'account_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'validation_failed'
  | 'internal_error'
  | 'storage_unavailable'

export type ReadServerMetadataCode =
  | 'account_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'validation_failed'
  | 'internal_error'
  | 'storage_unavailable'

export type ReadEventsCode = KeyCode | 'cursor_expired'

export type ReadRevocationsCode = KeyCode | 'cursor_expired'

export type CreateWebhookCode = KeyCode | BodyCode | 'webhook_limit_reached'

export type ListWebhooksCode = KeyCode

export type FindWebhookCode = KeyCode | 'webhook_not_found'

export type PatchWebhookCode = KeyCode | BodyCode | 'webhook_not_found'

export type DeleteWebhookCode = KeyCode | 'webhook_not_found'

export type RotateWebhookSecretCode = KeyCode | 'webhook_not_found'

export type TestWebhookCode = KeyCode | IdempotencyCode | 'webhook_not_found'

export type ReplayWebhookCode =
  | KeyCode
  | BodyCode
  | IdempotencyCode
  | 'webhook_not_found'
  | 'webhook_inactive'
  | 'cursor_expired'

export type ListWebhookAttemptsCode = KeyCode | 'webhook_not_found'

export type ReadOpenApiCode = 'method_not_allowed'
