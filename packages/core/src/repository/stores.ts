import { createAccountLifecycleStore } from '../capabilities/account-lifecycle/sql/account-lifecycle-store.ts'
import type { AccountLifecycleStore } from '../capabilities/account-lifecycle/store.ts'
import { createAccountStore } from '../capabilities/accounts/sql/account-store.ts'
import type { AccountStore } from '../capabilities/accounts/store.ts'
import { createApiKeyStore } from '../capabilities/api-keys/sql/api-key-store.ts'
import type { ApiKeyStore } from '../capabilities/api-keys/store.ts'
import { createDeviceStore } from '../capabilities/devices/sql.ts'
import type { DeviceStore } from '../capabilities/devices/store.ts'
import { createEmailChangeStore } from '../capabilities/email-changes/sql/email-change-store.ts'
import type { EmailChangeStore } from '../capabilities/email-changes/store.ts'
import { createEmailTokenStore } from '../capabilities/email-tokens/sql.ts'
import type { EmailTokenStore } from '../capabilities/email-tokens/store.ts'
import { createEventStore } from '../capabilities/events/sql/event-store.ts'
import type { EventStore } from '../capabilities/events/store.ts'
import { createExpiredPasswordStore } from '../capabilities/expired-passwords/sql.ts'
import type { ExpiredPasswordStore } from '../capabilities/expired-passwords/store.ts'
import { createIdempotencyStore } from '../capabilities/idempotency/sql/idempotency-store.ts'
import type { IdempotencyStore } from '../capabilities/idempotency/store.ts'
import { createIdentityStore } from '../capabilities/identities/sql/identity-store.ts'
import type { IdentityStore } from '../capabilities/identities/store.ts'
import { createImpersonationStore } from '../capabilities/impersonation/sql.ts'
import type { ImpersonationStore } from '../capabilities/impersonation/store.ts'
import { createImportExportStore } from '../capabilities/import-export/sql/import-export-store.ts'
import type { ImportExportStore } from '../capabilities/import-export/store.ts'
import { createInvitationStore } from '../capabilities/invitations/sql.ts'
import type { InvitationStore } from '../capabilities/invitations/store.ts'
import { createMfaStore } from '../capabilities/mfa/sql/mfa-store.ts'
import type { MfaStore } from '../capabilities/mfa/store.ts'
import { createPasskeyStore } from '../capabilities/passkeys/sql/passkey-store.ts'
import type { PasskeyStore } from '../capabilities/passkeys/store.ts'
import { createPersonalDataStore } from '../capabilities/personal-data/sql/personal-data-store.ts'
import type { PersonalDataStore } from '../capabilities/personal-data/store.ts'
import { createRateLimitCountStore } from '../capabilities/rate-limits/sql.ts'
import type { RateLimitCountStore } from '../capabilities/rate-limits/store.ts'
import { createScimStore } from '../capabilities/scim/sql/scim-store.ts'
import type { ScimStore } from '../capabilities/scim/store.ts'
import { createSessionStore } from '../capabilities/sessions/sql/session-store.ts'
import type { SessionStore } from '../capabilities/sessions/store.ts'
import { createSignInStore } from '../capabilities/sign-in/sql.ts'
import type { SignInStore } from '../capabilities/sign-in/store.ts'
import { createSignInCodeStore } from '../capabilities/sign-in-codes/sql.ts'
import type { SignInCodeStore } from '../capabilities/sign-in-codes/store.ts'
import { createSigningKeyStore } from '../capabilities/signing-keys/sql.ts'
import type { SigningKeyStore } from '../capabilities/signing-keys/store.ts'
import { createTrustedIssuerStore } from '../capabilities/trusted-issuers/sql.ts'
import type { TrustedIssuerStore } from '../capabilities/trusted-issuers/store.ts'
import { createUserTokenStore } from '../capabilities/user-tokens/sql.ts'
import type { UserTokenStore } from '../capabilities/user-tokens/store.ts'
import type { UserCounts } from '../capabilities/users/counts/sql/user-counts.ts'
import { createUserStore } from '../capabilities/users/sql/user-store.ts'
import type { UserStore } from '../capabilities/users/store.ts'
import { createWebhookStore } from '../capabilities/webhooks/sql/webhook-store.ts'
import type { WebhookStore } from '../capabilities/webhooks/store.ts'
import { createConsoleStore } from '../console/sql/console-store.ts'
import type { ConsoleStore } from '../console/store.ts'
import type { Db } from '../sql/db.ts'

/**
 * The stores of the capabilities: one line each here and in `createStores`. A store does not compile with only one of
 * the two lines, or without its line in clientele/capabilities.ts.
 */
export interface Stores {
  accountLifecycle: AccountLifecycleStore
  accounts: AccountStore
  apiKeys: ApiKeyStore
  console: ConsoleStore
  devices: DeviceStore
  emailChanges: EmailChangeStore
  emailTokens: EmailTokenStore
  events: EventStore
  idempotency: IdempotencyStore
  identities: IdentityStore
  impersonation: ImpersonationStore
  importExport: ImportExportStore
  expiredPasswords: ExpiredPasswordStore
  invitations: InvitationStore
  mfa: MfaStore
  passkeys: PasskeyStore
  personalData: PersonalDataStore
  rateLimits: RateLimitCountStore
  scim: ScimStore
  sessions: SessionStore
  signIn: SignInStore
  signInCodes: SignInCodeStore
  signingKeys: SigningKeyStore
  trustedIssuers: TrustedIssuerStore
  users: UserStore
  userTokens: UserTokenStore
  webhooks: WebhookStore
}

/** Every store, written once for all databases. */
export function createStores(db: Db, counts: UserCounts): Stores {
  const users = createUserStore(db, counts)
  const events = createEventStore(db)
  return {
    accountLifecycle: createAccountLifecycleStore(db),
    accounts: createAccountStore(db),
    apiKeys: createApiKeyStore(db),
    users,
    scim: createScimStore(db, counts),
    sessions: createSessionStore(db),
    identities: createIdentityStore(db, counts),
    signIn: createSignInStore(db),
    signInCodes: createSignInCodeStore(db),
    mfa: createMfaStore(db),
    passkeys: createPasskeyStore(db),
    devices: createDeviceStore(db),
    userTokens: createUserTokenStore(db),
    emailTokens: createEmailTokenStore(db),
    emailChanges: createEmailChangeStore(db),
    events,
    rateLimits: createRateLimitCountStore(db),
    expiredPasswords: createExpiredPasswordStore(db),
    invitations: createInvitationStore(db, counts),
    impersonation: createImpersonationStore(db),
    importExport: createImportExportStore(db, counts),
    console: createConsoleStore(db, counts),
    idempotency: createIdempotencyStore(db),
    personalData: createPersonalDataStore(db, counts, events),
    signingKeys: createSigningKeyStore(db),
    trustedIssuers: createTrustedIssuerStore(db),
    webhooks: createWebhookStore(db, events),
  }
}
