import { type Account, newAccountSchema, renameAccountSchema } from './accounts/account.ts'
import { bootstrap } from './accounts/bootstrap.ts'
import {
  deleteAccount,
  findAccount,
  renameAccount,
  setAccountDisabled,
} from './accounts/change-account.ts'
import { createAccount } from './accounts/create-account.ts'
import { newApiKeySchema, rotateApiKeySchema } from './api-keys/api-key.ts'
import { createApiKey } from './api-keys/create-api-key.ts'
import { revokeApiKey } from './api-keys/revoke-api-key.ts'
import { rotateApiKey } from './api-keys/rotate-api-key.ts'
import { assembleAuth, assembleMfa } from './assemble-sign-in.ts'
import type { Clientele } from './clientele.ts'
import { type ClienteleOptions, checkOptions, warnOfShortSecrets } from './clientele-options.ts'
import { createServices } from './create-services.ts'
import { ClienteleError } from './errors.ts'
import { guardRequest } from './http/guard-request.ts'
import { createRequestHandler } from './http/handle-request.ts'
import { listOperations } from './http/operations.ts'
import { createRoutes } from './http/routes.ts'
import { exportUsers } from './import-export/export-users.ts'
import { createImportSchema } from './import-export/import-schema.ts'
import { importUsers } from './import-export/import-users.ts'
import { readId, readOptions, readSigningKeyId } from './input/call-arguments.ts'
import {
  changeOptionsSchema,
  exportOptionsSchema,
  replaceOptionsSchema,
} from './input/call-options.ts'
import { parseInput } from './input/input.ts'
import type { Repository } from './repository.ts'
import { assertNodeVersion } from './runtime/assert-node-version.ts'
import { consoleLogger } from './runtime/logger.ts'
import type { Services } from './services.ts'
import { listSessions } from './sessions/list-sessions.ts'
import { revokeSession, revokeSessions } from './sessions/revoke-sessions.ts'
import {
  listSigningKeys,
  removeSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from './signing-keys/signing-keys.ts'
import { createIssuer, toTrustedIssuer } from './trusted-issuers/create-trusted-issuer.ts'
import { deleteIssuer } from './trusted-issuers/delete-trusted-issuer.ts'
import { issuerChangesSchema, newIssuerSchema } from './trusted-issuers/trusted-issuer.ts'
import { updateIssuer } from './trusted-issuers/update-trusted-issuer.ts'
import { createUser } from './users/create-user.ts'
import { deleteUser } from './users/delete-user.ts'
import { findUser } from './users/find-user.ts'
import { readEmailVerification } from './users/get-email-verified-at.ts'
import { listUsers } from './users/list-users.ts'
import { listUsersSchema } from './users/page.ts'
import { patchUser } from './users/patch-user.ts'
import { replaceUser } from './users/replace-user.ts'
import { setUserActive } from './users/set-user-active.ts'
import { createUserSchemas, type UserSchemas } from './users/user-input.ts'

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
  if (options.migrate ?? true) await repository.storage.migrate()
  else await refuseMissingMigrations(repository)
  return assemble(await createServices(options))
}

async function refuseMissingMigrations(repository: Repository): Promise<void> {
  const missing = await repository.storage.missingMigrations()
  if (missing.length === 0) return
  throw new ClienteleError(
    'migration_missing',
    `The database lacks ${missing.join(', ')}: run clientele migrate with a role that may create tables.`,
  )
}

function assemble(services: Services): Clientele {
  const { repository, events } = services
  const schemas = createUserSchemas(services.passwordPolicy)
  const routes = createRoutes(schemas)
  const findById = async (accountId: string): Promise<Account> =>
    findAccount(services, readId({ accountId }))
  return {
    accounts: {
      create: async (input) => createAccount(services, parseInput(newAccountSchema, input)),
      bootstrap: async (input) => bootstrap(services, parseInput(newAccountSchema, input)),
      find: findById,
      list: () => repository.accounts.list(),
      rename: async (accountId, input) =>
        renameAccount(services, readId({ accountId }), parseInput(renameAccountSchema, input)),
      disable: async (accountId) => setAccountDisabled(services, readId({ accountId }), true),
      enable: async (accountId) => setAccountDisabled(services, readId({ accountId }), false),
      delete: async (accountId) => deleteAccount(services, readId({ accountId })),
      recount: async (accountId) => repository.users.recount((await findById(accountId)).id),
    },
    apiKeys: {
      create: async (accountId, input = {}) =>
        createApiKey(services, readId({ accountId }), parseInput(newApiKeySchema, input)),
      list: async (accountId) => repository.apiKeys.list(readId({ accountId })),
      rotate: async (accountId, keyId, input = {}) =>
        rotateApiKey(
          services,
          readId({ accountId }),
          readId({ keyId }),
          parseInput(rotateApiKeySchema, input),
        ),
      revoke: async (accountId, keyId) =>
        revokeApiKey(services, readId({ accountId }), readId({ keyId })),
    },
    trustedIssuers: {
      create: async (accountId, input) =>
        createIssuer(services, readId({ accountId }), parseInput(newIssuerSchema, input)),
      list: async (accountId) =>
        (await repository.trustedIssuers.list(readId({ accountId }))).map(toTrustedIssuer),
      update: async (accountId, issuerId, changes) =>
        updateIssuer(
          services,
          readId({ accountId }),
          readId({ issuerId }),
          parseInput(issuerChangesSchema, changes),
        ),
      delete: async (accountId, issuerId) =>
        deleteIssuer(services, readId({ accountId }), readId({ issuerId })),
    },
    signingKeys: {
      list: () => listSigningKeys(services),
      rotate: () => rotateSigningKey(services),
      retire: async (keyId) => retireSigningKey(services, readSigningKeyId(keyId)),
      remove: async (keyId) => removeSigningKey(services, readSigningKeyId(keyId)),
    },
    users: assembleUsers(services, schemas, findById),
    auth: assembleAuth(services, schemas),
    mfa: assembleMfa(services),
    sessions: {
      list: async (accountId, userId) =>
        listSessions(services, readId({ accountId }), readId({ userId })),
      revoke: async (accountId, userId, sessionId) =>
        revokeSession(services, readId({ accountId }), readId({ userId }), readId({ sessionId })),
      revokeAll: async (accountId, userId) =>
        revokeSessions(services, readId({ accountId }), readId({ userId })),
    },
    events,
    operations: listOperations(routes),
    handle: createRequestHandler(services, schemas, routes),
    guard: (request, options) => guardRequest(services, request, options),
    ping: () => repository.storage.ping(),
    close: async () => {
      await services.tasks.settle(settleMs)
      await repository.storage.close()
    },
  }
}

function assembleUsers(
  services: Services,
  schemas: UserSchemas,
  findAccount: Clientele['accounts']['find'],
): Clientele['users'] {
  const importSchema = createImportSchema(schemas)
  return {
    create: async (accountId, input) =>
      createUser(services, await findAccount(accountId), parseInput(schemas.create, input)),
    find: async (accountId, userId) =>
      findUser(services, readId({ accountId }), readId({ userId })),
    list: async (accountId, input = {}) =>
      listUsers(services, readId({ accountId }), parseInput(listUsersSchema, input)),
    replace: async (accountId, userId, input, options) => {
      const { ifVersion = null, keepSessionId } = readOptions(replaceOptionsSchema, options)
      const user = readId({ userId })
      const checked = parseInput(schemas.replace, input)
      const account = await findAccount(accountId)
      return replaceUser(services, account, user, checked, ifVersion, keepSessionId)
    },
    patch: async (accountId, userId, input, options) => {
      const { ifVersion = null, keepSessionId } = readOptions(replaceOptionsSchema, options)
      const user = readId({ userId })
      const checked = parseInput(schemas.patch, input)
      const account = await findAccount(accountId)
      return patchUser(services, schemas, account, user, checked, ifVersion, keepSessionId)
    },
    import: async (accountId, records, options) =>
      importUsers(services, importSchema, await findAccount(accountId), records, options),
    export: (accountId, options) =>
      exportUsers(services, readId({ accountId }), readOptions(exportOptionsSchema, options)),
    activate: async (accountId, userId) =>
      setUserActive(services, readId({ accountId }), readId({ userId }), true),
    deactivate: async (accountId, userId) =>
      setUserActive(services, readId({ accountId }), readId({ userId }), false),
    getEmailVerifiedAt: async (accountId, userId) =>
      readEmailVerification(services, readId({ accountId }), readId({ userId })),
    delete: async (accountId, userId, options) => {
      const { ifVersion = null } = readOptions(changeOptionsSchema, options)
      return deleteUser(services, readId({ accountId }), readId({ userId }), ifVersion)
    },
  }
}
