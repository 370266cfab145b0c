import { createAccountLifecycleApi } from '../capabilities/account-lifecycle/api.ts'
import { type AccountsApi, createAccountsApi } from '../capabilities/accounts/api.ts'
import { type ApiKeysApi, createApiKeysApi } from '../capabilities/api-keys/api.ts'
import { createDevicesApi, type DevicesApi } from '../capabilities/devices/api.ts'
import { createDeviceRoutes } from '../capabilities/devices/routes.ts'
import {
  createEmailChangesApi,
  type EmailChangesApi,
  type EmailChangeTokensApi,
} from '../capabilities/email-changes/api.ts'
import { createEmailChangeRoutes } from '../capabilities/email-changes/routes.ts'
import { createEmailTokensApi, type EmailTokensApi } from '../capabilities/email-tokens/api.ts'
import { createEmailTokenRoutes } from '../capabilities/email-tokens/routes.ts'
import { createEventsApi, type EventsApi } from '../capabilities/events/api.ts'
import { createEventRoutes } from '../capabilities/events/routes.ts'
import {
  createExpiredPasswordsApi,
  type ExpiredPasswordSignInApi,
  type ExpirePasswordApi,
} from '../capabilities/expired-passwords/api.ts'
import { createExpiredPasswordRoutes } from '../capabilities/expired-passwords/routes.ts'
import { createIdentitiesApi, type IdentitiesApi } from '../capabilities/identities/api.ts'
import { createIdentityRoutes } from '../capabilities/identities/routes.ts'
import { createImpersonationApi, type ImpersonationApi } from '../capabilities/impersonation/api.ts'
import { createImpersonationRoutes } from '../capabilities/impersonation/routes.ts'
import { createImportExportApi, type ImportExportApi } from '../capabilities/import-export/api.ts'
import { createImportExportRoutes } from '../capabilities/import-export/routes.ts'
import {
  type AcceptInvitationApi,
  createInvitationsApi,
  type InvitationsApi,
} from '../capabilities/invitations/api.ts'
import { createInvitationRoutes } from '../capabilities/invitations/routes.ts'
import { createMfaApi, type MfaApi, type MfaSignInApi } from '../capabilities/mfa/api.ts'
import { createMfaRoutes } from '../capabilities/mfa/routes.ts'
import {
  createPasskeysApi,
  type PasskeySettingsApi,
  type PasskeySignInApi,
  type PasskeysApi,
} from '../capabilities/passkeys/api.ts'
import { createPasskeyRoutes } from '../capabilities/passkeys/routes.ts'
import { createPersonalDataApi, type PersonalDataApi } from '../capabilities/personal-data/api.ts'
import { createPersonalDataRoutes } from '../capabilities/personal-data/routes.ts'
import { createRevocationsApi, type RevocationsApi } from '../capabilities/revocations/api.ts'
import { createRevocationRoutes } from '../capabilities/revocations/routes.ts'
import { createScimApi, type ScimApi } from '../capabilities/scim/api.ts'
import {
  createSessionsApi,
  type SessionsApi,
  type SessionTokensApi,
} from '../capabilities/sessions/api.ts'
import { createSessionRoutes } from '../capabilities/sessions/routes.ts'
import { createSignInApi, type SignInApi } from '../capabilities/sign-in/api.ts'
import { createSignInRoutes } from '../capabilities/sign-in/routes.ts'
import { createSignInCodesApi, type SignInCodesApi } from '../capabilities/sign-in-codes/api.ts'
import { createSignInCodeRoutes } from '../capabilities/sign-in-codes/routes.ts'
import { createSigningKeysApi, type SigningKeysApi } from '../capabilities/signing-keys/api.ts'
import { createSigningKeyRoutes } from '../capabilities/signing-keys/routes.ts'
import { createTokensApi, type TokensApi } from '../capabilities/tokens/api.ts'
import { createTokenRoutes } from '../capabilities/tokens/routes.ts'
import {
  createTrustedIssuersApi,
  type TrustedIssuersApi,
} from '../capabilities/trusted-issuers/api.ts'
import { createUserTokensApi, type UserTokensApi } from '../capabilities/user-tokens/api.ts'
import { createUserTokenRoutes } from '../capabilities/user-tokens/routes.ts'
import { createUsersApi, type UsersApi } from '../capabilities/users/api.ts'
import { createUserRoutes } from '../capabilities/users/routes.ts'
import { createWebhooksApi, type WebhooksApi } from '../capabilities/webhooks/api.ts'
import { createWebhookRoutes } from '../capabilities/webhooks/routes.ts'
import { type ConsoleApi, createConsoleApi } from '../console/api.ts'
import type { Route } from '../http/route.ts'
import type { Stores } from '../repository/stores.ts'

/** An account's users: single operations, invitations, expired passwords, changed addresses, import and export, and their personal data. */
export interface UserMethods
  extends UsersApi,
    InvitationsApi,
    ExpirePasswordApi,
    EmailChangesApi,
    ImportExportApi,
    PersonalDataApi {}

/** The accounts and their passkey settings. */
export interface AccountMethods extends AccountsApi, PasskeySettingsApi {}

/** Signing in and staying signed in: passwords, mailed codes, passkeys, MFA factors, sessions, e-mail tokens, access tokens. */
export interface AuthMethods
  extends SignInApi,
    SignInCodesApi,
    MfaSignInApi,
    PasskeySignInApi,
    SessionTokensApi,
    EmailTokensApi,
    EmailChangeTokensApi,
    ExpiredPasswordSignInApi,
    ImpersonationApi,
    AcceptInvitationApi,
    TokensApi {}

/** All methods, in groups. Each capability contributes its part. */
export interface ClienteleMethods {
  accounts: AccountMethods
  apiKeys: ApiKeysApi
  users: UserMethods
  auth: AuthMethods
  mfa: MfaApi
  passkeys: PasskeysApi
  sessions: SessionsApi
  devices: DevicesApi
  userTokens: UserTokensApi
  identities: IdentitiesApi
  signingKeys: SigningKeysApi
  trustedIssuers: TrustedIssuersApi
  events: EventsApi
  revocations: RevocationsApi
  webhooks: WebhooksApi
  scim: ScimApi
  console: ConsoleApi
}

/** The contribution of a capability. */
interface Capability<Given> {
  /** Its methods, by their group in `Clientele` */
  api(services: Given): Methods
  /** Its routes */
  routes?(services: Given): readonly Route[]
}
type Methods = { [Group in keyof ClienteleMethods]?: Partial<ClienteleMethods[Group]> }

/**
 * Every capability with methods, routes or a store, one line each. Folders have the same names: `apiKeys` is in
 * `api-keys`. `Clientele` and the HTTP API are put together from this list. A capability with a store or with methods
 * above does not compile without its line here.
 */
export const capabilities = {
  accounts: { api: createAccountsApi },
  accountLifecycle: { api: createAccountLifecycleApi },
  apiKeys: { api: createApiKeysApi },
  rateLimits: { api: () => ({}) }, // only actions of other capabilities use it
  idempotency: { api: () => ({}) }, // only actions of other capabilities use it
  users: { api: createUsersApi, routes: createUserRoutes },
  invitations: { api: createInvitationsApi, routes: createInvitationRoutes },
  personalData: { api: createPersonalDataApi, routes: createPersonalDataRoutes },
  importExport: { api: createImportExportApi, routes: createImportExportRoutes },
  tokens: { api: createTokensApi, routes: createTokenRoutes },
  signIn: { api: createSignInApi, routes: createSignInRoutes },
  signInCodes: { api: createSignInCodesApi, routes: createSignInCodeRoutes },
  mfa: { api: createMfaApi, routes: createMfaRoutes },
  passkeys: { api: createPasskeysApi, routes: createPasskeyRoutes },
  sessions: { api: createSessionsApi, routes: createSessionRoutes },
  devices: { api: createDevicesApi, routes: createDeviceRoutes },
  impersonation: { api: createImpersonationApi, routes: createImpersonationRoutes },
  userTokens: { api: createUserTokensApi, routes: createUserTokenRoutes },
  expiredPasswords: { api: createExpiredPasswordsApi, routes: createExpiredPasswordRoutes },
  identities: { api: createIdentitiesApi, routes: createIdentityRoutes },
  emailChanges: { api: createEmailChangesApi, routes: createEmailChangeRoutes },
  emailTokens: { api: createEmailTokensApi, routes: createEmailTokenRoutes },
  signingKeys: { api: createSigningKeysApi, routes: createSigningKeyRoutes },
  trustedIssuers: { api: createTrustedIssuersApi },
  events: { api: createEventsApi, routes: createEventRoutes },
  revocations: { api: createRevocationsApi, routes: createRevocationRoutes },
  webhooks: { api: createWebhooksApi, routes: createWebhookRoutes },
  scim: { api: createScimApi }, // its routes are mounted separately
  console: { api: createConsoleApi }, // its routes are mounted separately
} satisfies Record<keyof Stores, Capability<never>> & Record<string, Capability<never>>

const all: readonly Capability<CapabilityServices>[] = Object.values(capabilities)

type Intersect<T> = (T extends unknown ? (part: T) => void : never) extends (
  whole: infer All,
) => void
  ? All
  : never
type ServicesOf<Capability> = Capability extends { api(services: infer Given): unknown }
  ? Given
  : never
type TakeServices = {
  [Name in keyof typeof capabilities]: (services: ServicesOf<(typeof capabilities)[Name]>) => void
}[keyof typeof capabilities]
/** The services of all capabilities: each declares its own in its `services.ts`. */
export type CapabilityServices = TakeServices extends (services: infer All) => void ? All : never

/** The methods of all capabilities; they must match what `Clientele` declares. */
type AllMethods = Intersect<ReturnType<(typeof capabilities)[keyof typeof capabilities]['api']>>

/** Combines the methods of all capabilities by group. */
export function createMethods(services: CapabilityServices): ClienteleMethods {
  const groups: Record<string, object> = {}
  for (const capability of all) {
    for (const [name, methods] of Object.entries(capability.api(services))) {
      groups[name] = { ...groups[name], ...methods }
    }
  }
  return groups as AllMethods // the loop has added all of them
}

/** The routes of all capabilities. */
export function listRoutes(services: CapabilityServices): readonly Route[] {
  return all.flatMap(({ routes }) => routes?.(services) ?? [])
}
