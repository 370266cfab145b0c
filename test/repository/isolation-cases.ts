import type { Repository } from '@clientele/core'
import {
  accountLifecycleIsolation,
  accountsIsolation,
  apiKeysIsolation,
} from './isolation/accounts.ts'
import type { IsolationCases } from './isolation/case.ts'
import { consoleIsolation } from './isolation/console.ts'
import { devicesIsolation } from './isolation/devices.ts'
import { emailChangesIsolation } from './isolation/email-changes.ts'
import { eventsIsolation } from './isolation/events.ts'
import { expiredPasswordsIsolation } from './isolation/expired-passwords.ts'
import { idempotencyIsolation } from './isolation/idempotency.ts'
import { identitiesIsolation, signInIsolation } from './isolation/identities.ts'
import { impersonationIsolation } from './isolation/impersonation.ts'
import { invitationsIsolation } from './isolation/invitations.ts'
import { trustedIssuersIsolation } from './isolation/issuers.ts'
import { mfaIsolation } from './isolation/mfa.ts'
import { passkeysIsolation } from './isolation/passkeys.ts'
import { personalDataIsolation } from './isolation/personal-data.ts'
import { scimIsolation } from './isolation/scim.ts'
import { secretsIsolation } from './isolation/secrets.ts'
import {
  emailTokensIsolation,
  rateLimitsIsolation,
  sessionsIsolation,
} from './isolation/sign-in.ts'
import { signInCodesIsolation } from './isolation/sign-in-codes.ts'
import { signingKeysIsolation } from './isolation/signing-keys.ts'
import { userTokensIsolation } from './isolation/user-tokens.ts'
import { importExportIsolation, usersIsolation } from './isolation/users.ts'
import { webhooksIsolation } from './isolation/webhooks.ts'

/** A store, or a method of one, without a case here does not compile. */
export const isolationCases: { [Store in keyof Repository]: IsolationCases<Store> } = {
  accountLifecycle: accountLifecycleIsolation,
  accounts: accountsIsolation,
  apiKeys: apiKeysIsolation,
  users: usersIsolation,
  scim: scimIsolation,
  sessions: sessionsIsolation,
  devices: devicesIsolation,
  userTokens: userTokensIsolation,
  expiredPasswords: expiredPasswordsIsolation,
  impersonation: impersonationIsolation,
  mfa: mfaIsolation,
  emailChanges: emailChangesIsolation,
  emailTokens: emailTokensIsolation,
  invitations: invitationsIsolation,
  events: eventsIsolation,
  rateLimits: rateLimitsIsolation,
  idempotency: idempotencyIsolation,
  signIn: signInIsolation,
  signInCodes: signInCodesIsolation,
  identities: identitiesIsolation,
  passkeys: passkeysIsolation,
  importExport: importExportIsolation,
  personalData: personalDataIsolation,
  trustedIssuers: trustedIssuersIsolation,
  webhooks: webhooksIsolation,
  signingKeys: signingKeysIsolation,
  console: consoleIsolation,
  storage: {
    system: { belongsToNoAccount: 'it is a name' },
    poolLoad: { belongsToNoAccount: 'it counts connections' },
    waitingWrites: { belongsToNoAccount: 'it counts what waits for connections' },
    migrate: { belongsToNoAccount: 'it changes the schema' },
    missingMigrations: { belongsToNoAccount: 'it reads the names of migrations' },
    sweep: { belongsToNoAccount: 'it clears away what has expired, whosever it is' },
    readTime: { belongsToNoAccount: 'it reads no table' },
    findNewestEvent: { belongsToNoAccount: 'it tells only the time of an event' },
    listStaleSecrets: { belongsToNoAccount: 'secrets of all accounts are encrypted again' },
    replaceSecrets: secretsIsolation,
    ping: { belongsToNoAccount: 'it reads no table' },
    close: { belongsToNoAccount: 'it lets go of the connections' },
    host: { belongsToNoAccount: 'its stores are those above' },
    localSecret: { belongsToNoAccount: 'it belongs to the whole database' },
  },
}
