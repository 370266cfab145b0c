import { newAccountSchema, renameAccountSchema } from './accounts/account.ts'
import { bootstrap } from './accounts/bootstrap.ts'
import { deleteAccount, renameAccount, setAccountDisabled } from './accounts/change-account.ts'
import { createAccount } from './accounts/create-account.ts'
import { findAccount } from './accounts/find-account.ts'
import { newApiKeySchema, rotateApiKeySchema } from './api-keys/api-key.ts'
import { createApiKey } from './api-keys/create-api-key.ts'
import { revokeApiKey } from './api-keys/revoke-api-key.ts'
import { rotateApiKey } from './api-keys/rotate-api-key.ts'
import { assembleAuth, assembleMfa } from './assemble-sign-in.ts'
import { readCall } from './call.ts'
import type { Clientele } from './clientele.ts'
import { type ClienteleOptions, checkOptions } from './clientele-options.ts'
import { createServices } from './create-services.ts'
import { ClienteleError } from './errors.ts'
import { guardRequest } from './http/guard-request.ts'
import { createRequestHandler } from './http/handle-request.ts'
import { listOperations } from './http/operations.ts'
import { createRoutes } from './http/routes.ts'
import { exportUsers } from './import-export/export-users.ts'
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
import type { UserSchemas } from './users/user-input.ts'

/** How long mails that are on their way hold up the end, in milliseconds */
const settleMs = 5_000

/**
 * Puts the parts together: brings the schema up to date, and checks that the stored keys can be decrypted
 * (with `lazyKeys` not before something needs them).
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
  const { repository } = options
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
  const schemas = services.userSchemas
  const routes = createRoutes(schemas)
  return {
    accounts: {
      create: async (input) => createAccount(services, parseInput(newAccountSchema, input)),
      bootstrap: async (input) => bootstrap(services, parseInput(newAccountSchema, input)),
      find: async (call) => findAccount(services, readCall(services, call)),
      list: () => repository.accounts.list(),
      rename: async (call, input) =>
        renameAccount(services, readCall(services, call), parseInput(renameAccountSchema, input)),
      disable: async (call) => setAccountDisabled(services, readCall(services, call), true),
      enable: async (call) => setAccountDisabled(services, readCall(services, call), false),
      delete: async (call) => deleteAccount(services, readCall(services, call)),
      recount: async (call) =>
        repository.users.recount((await findAccount(services, readCall(services, call))).id),
    },
    apiKeys: {
      create: async (call, input = {}) =>
        createApiKey(services, readCall(services, call), parseInput(newApiKeySchema, input)),
      list: async (call) => repository.apiKeys.list(readCall(services, call).accountId),
      rotate: async (call, keyId, input = {}) =>
        rotateApiKey(
          services,
          readCall(services, call),
          readId({ keyId }),
          parseInput(rotateApiKeySchema, input),
        ),
      revoke: async (call, keyId) =>
        revokeApiKey(services, readCall(services, call), readId({ keyId })),
    },
    trustedIssuers: {
      create: async (call, input) =>
        createIssuer(services, readCall(services, call), parseInput(newIssuerSchema, input)),
      list: async (call) =>
        (await repository.trustedIssuers.list(readCall(services, call).accountId)).map(
          toTrustedIssuer,
        ),
      update: async (call, issuerId, changes) =>
        updateIssuer(
          services,
          readCall(services, call),
          readId({ issuerId }),
          parseInput(issuerChangesSchema, changes),
        ),
      delete: async (call, issuerId) =>
        deleteIssuer(services, readCall(services, call), readId({ issuerId })),
    },
    signingKeys: {
      list: () => listSigningKeys(services),
      rotate: () => rotateSigningKey(services),
      retire: async (keyId) => retireSigningKey(services, readSigningKeyId(keyId)),
      remove: async (keyId) => removeSigningKey(services, readSigningKeyId(keyId)),
    },
    users: assembleUsers(services, schemas),
    auth: assembleAuth(services, schemas),
    mfa: assembleMfa(services),
    sessions: {
      list: async (call, userId) =>
        listSessions(services, readCall(services, call), readId({ userId })),
      revoke: async (call, userId, sessionId) =>
        revokeSession(
          services,
          readCall(services, call),
          readId({ userId }),
          readId({ sessionId }),
        ),
      revokeAll: async (call, userId) =>
        revokeSessions(services, readCall(services, call), readId({ userId })),
    },
    events,
    operations: listOperations(routes),
    handle: createRequestHandler(services, routes),
    guard: (request, options) => guardRequest(services, request, options),
    ping: () => repository.storage.ping(),
    close: async () => {
      await services.tasks.settle(settleMs)
      await repository.storage.close()
    },
  }
}

function assembleUsers(services: Services, schemas: UserSchemas): Clientele['users'] {
  return {
    create: async (call, input) =>
      createUser(services, readCall(services, call), parseInput(schemas.create, input)),
    find: async (call, userId) => findUser(services, readCall(services, call), readId({ userId })),
    list: async (call, input = {}) =>
      listUsers(services, readCall(services, call), parseInput(listUsersSchema, input)),
    replace: async (call, userId, input, options) => {
      const { ifVersion = null, keepSessionId } = readOptions(replaceOptionsSchema, options)
      const user = readId({ userId })
      const checked = parseInput(schemas.replace, input)
      return replaceUser(
        services,
        readCall(services, call),
        user,
        checked,
        ifVersion,
        keepSessionId,
      )
    },
    patch: async (call, userId, input, options) => {
      const { ifVersion = null, keepSessionId } = readOptions(replaceOptionsSchema, options)
      const user = readId({ userId })
      const checked = parseInput(schemas.patch, input)
      return patchUser(services, readCall(services, call), user, checked, ifVersion, keepSessionId)
    },
    import: async (call, records, options) =>
      importUsers(services, readCall(services, call), records, options),
    export: (call, options) =>
      exportUsers(services, readCall(services, call), readOptions(exportOptionsSchema, options)),
    activate: async (call, userId) =>
      setUserActive(services, readCall(services, call), readId({ userId }), true),
    deactivate: async (call, userId) =>
      setUserActive(services, readCall(services, call), readId({ userId }), false),
    getEmailVerifiedAt: async (call, userId) =>
      readEmailVerification(services, readCall(services, call), readId({ userId })),
    delete: async (call, userId, options) => {
      const { ifVersion = null } = readOptions(changeOptionsSchema, options)
      return deleteUser(services, readCall(services, call), readId({ userId }), ifVersion)
    },
  }
}
