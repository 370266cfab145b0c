import {
  deleteAccount,
  findAccount,
  renameAccount,
  setAccountDisabled,
} from './actions/change-account.ts'
import { completeTwoFactor, completeTwoFactorSchema } from './actions/complete-two-factor.ts'
import { createAccount } from './actions/create-account.ts'
import { createApiKey } from './actions/create-api-key.ts'
import { createFirstAccount } from './actions/create-first-account.ts'
import { createIssuer, toTrustedIssuer } from './actions/create-issuer.ts'
import { createUser } from './actions/create-user.ts'
import { deleteIssuer } from './actions/delete-issuer.ts'
import { deleteUser } from './actions/delete-user.ts'
import { exportUsers } from './actions/export-users.ts'
import { findUser } from './actions/find-user.ts'
import { importUsers } from './actions/import-users.ts'
import { listSessions } from './actions/list-sessions.ts'
import { listUsers } from './actions/list-users.ts'
import { logIn, logInSchema } from './actions/log-in.ts'
import { logOut } from './actions/log-out.ts'
import { mailTwoFactorCode, mailTwoFactorCodeSchema } from './actions/mail-two-factor-code.ts'
import {
  confirmEmailSchema,
  mailedTokenRequestSchema,
  requestMailedToken,
  resetPassword,
  verifyEmail,
} from './actions/mailed-tokens.ts'
import { patchUser } from './actions/patch-user.ts'
import { createImportSchema } from './actions/prepare-import.ts'
import { readEmailVerification } from './actions/read-email-verification.ts'
import { refreshSchema, refreshSession } from './actions/refresh-session.ts'
import { replaceUser } from './actions/replace-user.ts'
import { revokeApiKey } from './actions/revoke-api-key.ts'
import { revokeSession, revokeSessions } from './actions/revoke-sessions.ts'
import { rotateApiKey } from './actions/rotate-api-key.ts'
import {
  enrolEmailFactor,
  readSecondFactors,
  removeSecondFactors,
  renewRecoveryCodes,
} from './actions/second-factors.ts'
import type { Services } from './actions/services.ts'
import { setUserActive } from './actions/set-user-active.ts'
import {
  listSigningKeys,
  removeSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from './actions/signing-keys.ts'
import { confirmTotp, confirmTotpSchema, enrolTotp } from './actions/totp-factor.ts'
import { updateIssuer } from './actions/update-issuer.ts'
import { createUserSchemas, type UserSchemas } from './actions/user-input.ts'
import { validateToken } from './actions/validate-token.ts'
import type { ChangeOptions, Clientele, ReplaceOptions } from './clientele.ts'
import { type ClienteleOptions, checkOptions, warnOfShortSecrets } from './clientele-options.ts'
import { createServices } from './create-services.ts'
import { type Account, newAccountSchema, renameAccountSchema } from './domain/account.ts'
import { newApiKeySchema, rotateApiKeySchema } from './domain/api-key.ts'
import { assertNodeVersion } from './domain/assert-node-version.ts'
import { idSchema } from './domain/client-user.ts'
import { parseInput } from './domain/input.ts'
import { listUsersSchema } from './domain/page.ts'
import { issuerChangesSchema, newIssuerSchema } from './domain/trusted-issuer.ts'
import { ClienteleError } from './errors.ts'
import { guardRequest } from './http/guard-request.ts'
import { createRequestHandler } from './http/handle-request.ts'
import { createRoutes } from './http/routes.ts'
import { consoleLogger } from './logger.ts'
import type { Repository } from './repository.ts'

/** How long mails that are on their way hold up the end, in milliseconds */
const settleMs = 5_000

/**
 * Puts the parts together: brings the schema up to date, and checks that the stored keys can be decrypted.
 *
 * @throws ClienteleError `secret_required`, `secret_wrong`, `configuration_invalid`, `storage_unavailable`, and with
 * `migrate: false` `migration_missing`
 *
 * @example
 * import { createClientele } from '@clientele/core'
 * import { sqlite } from '@clientele/core/sqlite'
 *
 * const clientele = await createClientele({ repository: sqlite({ filename: 'users.sqlite' }) })
 * const account = await clientele.accounts.create({ name: 'Acme' })
 * const { user } = await clientele.users.create(account.id, {
 *   name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple',
 * })
 */
export async function createClientele(options: ClienteleOptions): Promise<Clientele> {
  assertNodeVersion()
  checkOptions(options)
  const { repository, logger = consoleLogger } = options
  warnOfShortSecrets(options, logger)
  if (options.migrate ?? true) await repository.migrate()
  else await refuseMissingMigrations(repository)
  return assemble(await createServices(options))
}

async function refuseMissingMigrations(repository: Repository): Promise<void> {
  const missing = await repository.missingMigrations()
  if (missing.length === 0) return
  throw new ClienteleError(
    'migration_missing',
    `The database lacks ${missing.join(', ')}: run clientele migrate with a role that may create tables.`,
  )
}

function assemble(services: Services): Clientele {
  const { repository, events } = services
  const schemas = createUserSchemas(services.passwordPolicy)
  const findById = async (accountId: string): Promise<Account> =>
    findAccount(services, id(accountId))
  return {
    accounts: {
      create: async (input) => createAccount(services, parseInput(newAccountSchema, input)),
      createFirst: async (input) =>
        createFirstAccount(services, parseInput(newAccountSchema, input)),
      find: findById,
      list: () => repository.listAccounts(),
      rename: async (accountId, input) =>
        renameAccount(services, id(accountId), parseInput(renameAccountSchema, input)),
      disable: async (accountId) => setAccountDisabled(services, id(accountId), true),
      enable: async (accountId) => setAccountDisabled(services, id(accountId), false),
      delete: async (accountId) => deleteAccount(services, id(accountId)),
      recount: async (accountId) => repository.recountUsers((await findById(accountId)).id),
    },
    apiKeys: {
      create: async (accountId, input = {}) =>
        createApiKey(services, id(accountId), parseInput(newApiKeySchema, input)),
      list: async (accountId) => repository.listApiKeys(id(accountId)),
      rotate: async (accountId, keyId, input = {}) =>
        rotateApiKey(services, id(accountId), id(keyId), parseInput(rotateApiKeySchema, input)),
      revoke: async (accountId, keyId) => revokeApiKey(services, id(accountId), id(keyId)),
    },
    issuers: {
      create: async (accountId, input) =>
        createIssuer(services, id(accountId), parseInput(newIssuerSchema, input)),
      list: async (accountId) => (await repository.listIssuers(id(accountId))).map(toTrustedIssuer),
      update: async (accountId, issuerId, changes) =>
        updateIssuer(
          services,
          id(accountId),
          id(issuerId),
          parseInput(issuerChangesSchema, changes),
        ),
      delete: async (accountId, issuerId) => deleteIssuer(services, id(accountId), id(issuerId)),
    },
    signingKeys: {
      list: () => listSigningKeys(services),
      rotate: () => rotateSigningKey(services),
      retire: (keyId) => retireSigningKey(services, keyId),
      remove: (keyId) => removeSigningKey(services, keyId),
    },
    users: assembleUsers(services, schemas, findById),
    auth: assembleAuth(services, schemas),
    twoFactor: assembleTwoFactor(services),
    sessions: {
      list: async (accountId, userId) => listSessions(services, id(accountId), id(userId)),
      revoke: async (accountId, userId, sessionId) =>
        revokeSession(services, id(accountId), id(userId), id(sessionId)),
      revokeAll: async (accountId, userId) => revokeSessions(services, id(accountId), id(userId)),
    },
    events,
    handle: createRequestHandler(services, schemas, createRoutes(schemas)),
    guard: (request, options) => guardRequest(services, request, options),
    ping: () => repository.ping(),
    close: async () => {
      await services.background.settle(settleMs)
      await repository.close()
    },
  }
}

function assembleUsers(
  services: Services,
  schemas: UserSchemas,
  findAccount: Clientele['accounts']['find'],
): Clientele['users'] {
  const importSchema = createImportSchema(schemas)
  const expected = (options?: ChangeOptions): number | null => options?.ifVersion ?? null
  const kept = (options?: ReplaceOptions): string | undefined =>
    options?.keepSessionId === undefined ? undefined : id(options.keepSessionId)
  return {
    create: async (accountId, input) =>
      createUser(services, await findAccount(accountId), parseInput(schemas.create, input)),
    find: async (accountId, userId) => findUser(services, id(accountId), id(userId)),
    list: async (accountId, input = {}) =>
      listUsers(services, id(accountId), parseInput(listUsersSchema, input)),
    replace: async (accountId, userId, input, options) => {
      const checked = parseInput(schemas.replace, input)
      return replaceUser(
        services,
        await findAccount(accountId),
        id(userId),
        checked,
        expected(options),
        kept(options),
      )
    },
    patch: async (accountId, userId, input, options) => {
      const checked = parseInput(schemas.patch, input)
      return patchUser(
        services,
        schemas,
        await findAccount(accountId),
        id(userId),
        checked,
        expected(options),
        kept(options),
      )
    },
    import: async (accountId, records, options) =>
      importUsers(services, importSchema, await findAccount(accountId), records, options),
    export: (accountId, options) => exportUsers(services, id(accountId), options),
    activate: async (accountId, userId) => setUserActive(services, id(accountId), id(userId), true),
    deactivate: async (accountId, userId) =>
      setUserActive(services, id(accountId), id(userId), false),
    emailVerifiedAt: async (accountId, userId) =>
      readEmailVerification(services, id(accountId), id(userId)),
    delete: async (accountId, userId, options) =>
      deleteUser(services, id(accountId), id(userId), expected(options)),
  }
}

function assembleAuth(services: Services, schemas: UserSchemas): Clientele['auth'] {
  return {
    logIn: async (accountId, input, caller) =>
      logIn(services, id(accountId), parseInput(logInSchema, input), caller?.clientAddress),
    completeTwoFactor: async (accountId, input, caller) =>
      completeTwoFactor(
        services,
        id(accountId),
        parseInput(completeTwoFactorSchema, input),
        caller?.clientAddress,
      ),
    mailTwoFactorCode: async (accountId, input) =>
      mailTwoFactorCode(services, id(accountId), parseInput(mailTwoFactorCodeSchema, input)),
    forgotPassword: async (accountId, input, caller) =>
      requestMailedToken(
        services,
        id(accountId),
        'password_reset',
        parseInput(mailedTokenRequestSchema, input),
        caller?.clientAddress,
      ),
    resetPassword: async (accountId, input, caller) =>
      resetPassword(
        services,
        id(accountId),
        parseInput(schemas.reset, input),
        caller?.clientAddress,
      ),
    requestEmailVerification: async (accountId, input, caller) =>
      requestMailedToken(
        services,
        id(accountId),
        'email_verification',
        parseInput(mailedTokenRequestSchema, input),
        caller?.clientAddress,
      ),
    confirmEmail: async (accountId, input) =>
      verifyEmail(services, id(accountId), parseInput(confirmEmailSchema, input)),
    refresh: async (accountId, input) =>
      refreshSession(services, id(accountId), parseInput(refreshSchema, input)),
    logOut: async (accountId, input) =>
      logOut(services, id(accountId), parseInput(refreshSchema, input)),
    validateToken: (accountId, token) => validateToken(services, accountId, token),
  }
}

function assembleTwoFactor(services: Services): Clientele['twoFactor'] {
  return {
    read: async (accountId, userId) => readSecondFactors(services, id(accountId), id(userId)),
    enrolTotp: async (accountId, userId, { qrCode = false } = {}) =>
      enrolTotp(services, id(accountId), id(userId), qrCode),
    confirmTotp: async (accountId, userId, input) =>
      confirmTotp(services, id(accountId), id(userId), parseInput(confirmTotpSchema, input)),
    enrolEmail: async (accountId, userId) => enrolEmailFactor(services, id(accountId), id(userId)),
    renewRecoveryCodes: async (accountId, userId) =>
      renewRecoveryCodes(services, id(accountId), id(userId)),
    remove: async (accountId, userId) => removeSecondFactors(services, id(accountId), id(userId)),
  }
}

function id(value: string): string {
  return parseInput(idSchema, value)
}
