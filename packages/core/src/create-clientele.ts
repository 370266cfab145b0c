import { createAccount } from './actions/create-account.ts'
import { type CreatedApiKey, createApiKey } from './actions/create-api-key.ts'
import { createFirstAccount, type FirstAccount } from './actions/create-first-account.ts'
import { createIssuer, toTrustedIssuer } from './actions/create-issuer.ts'
import { createUser } from './actions/create-user.ts'
import { deleteIssuer } from './actions/delete-issuer.ts'
import { deleteUser } from './actions/delete-user.ts'
import { findUser } from './actions/find-user.ts'
import { listSessions, type Session } from './actions/list-sessions.ts'
import { listUsers, type UserList } from './actions/list-users.ts'
import { logIn, logInSchema } from './actions/log-in.ts'
import { logOut } from './actions/log-out.ts'
import type { SignedIn } from './actions/open-session.ts'
import { patchUser } from './actions/patch-user.ts'
import { refreshSchema, refreshSession } from './actions/refresh-session.ts'
import { replaceUser } from './actions/replace-user.ts'
import { revokeApiKey } from './actions/revoke-api-key.ts'
import { revokeSession, revokeSessions } from './actions/revoke-sessions.ts'
import { rotateApiKey } from './actions/rotate-api-key.ts'
import type { Services } from './actions/services.ts'
import { setUserActive } from './actions/set-user-active.ts'
import {
  listSigningKeys,
  removeSigningKey,
  rotateSigningKey,
  type SigningKeyInfo,
} from './actions/signing-keys.ts'
import { updateIssuer } from './actions/update-issuer.ts'
import {
  type CreateUserInput,
  createUserSchemas,
  type PatchUserInput,
  type ReplaceUserInput,
} from './actions/user-input.ts'
import { type ValidatedToken, validateToken } from './actions/validate-token.ts'
import { type ClienteleOptions, checkOptions, findSecrets } from './clientele-options.ts'
import { createIdGenerator } from './create-id-generator.ts'
import { type Account, type NewAccount, newAccountSchema } from './domain/account.ts'
import {
  type ApiKey,
  type NewApiKey,
  newApiKeySchema,
  type RotateApiKey,
  rotateApiKeySchema,
} from './domain/api-key.ts'
import { type ClientUser, idSchema } from './domain/client-user.ts'
import { parseInput } from './domain/input.ts'
import { type ListUsersInput, listUsersSchema } from './domain/page.ts'
import {
  issuerChangesSchema,
  type NewTrustedIssuer,
  newIssuerSchema,
  type TrustedIssuer,
  type TrustedIssuerChanges,
} from './domain/trusted-issuer.ts'
import { ClienteleError } from './errors.ts'
import { Events } from './events.ts'
import type { HttpRequest, HttpResponse } from './http/contract.ts'
import { type GuardOptions, type GuardResult, guardRequest } from './http/guard-request.ts'
import { createRequestHandler } from './http/handle-request.ts'
import { createRoutes } from './http/routes.ts'
import { consoleLogger } from './logger.ts'
import { AccessTokens, leewaySeconds } from './security/access-tokens.ts'
import { KeyRing } from './security/key-ring.ts'
import { PasswordHasher } from './security/password-hasher.ts'
import { SecretBox } from './security/secret-box.ts'
import { TrustedIssuers } from './security/trusted-issuers.ts'

const day = 24 * 3600

/** What a change may be tied to. */
export interface ChangeOptions {
  /** The version that the user must still have, else `precondition_failed`. @default any */
  ifVersion?: number
}

export interface ReplaceOptions extends ChangeOptions {
  /** The session that a new password leaves alive; it ends every other one. @default none */
  keepSessionId?: string
}

/** A user with its version, which is what its ETag is made of. */
export interface UserResult {
  user: ClientUser
  version: number
}

/** The one object that adapters and hosts hold. Everything on it takes the account's id first. */
export interface Clientele {
  accounts: {
    create(input: NewAccount): Promise<Account>
    /** Makes an account with a key when there is none at all, else answers undefined. Of several at once, one makes it. */
    createFirst(input: NewAccount): Promise<FirstAccount | undefined>
    find(accountId: string): Promise<Account>
    list(): Promise<Account[]>
    /** Counts the account's users anew, should totals ever be wrong; answers with the total. */
    recount(accountId: string): Promise<number>
  }
  apiKeys: {
    /** The secret is in the result and nowhere else. */
    create(accountId: string, input?: NewApiKey): Promise<CreatedApiKey>
    list(accountId: string): Promise<ApiKey[]>
    /** The new key has the old one's name and scopes; the old one expires after the overlap, a day by default. */
    rotate(accountId: string, keyId: string, input?: RotateApiKey): Promise<CreatedApiKey>
    /** From the next request on, in every process. */
    revoke(accountId: string, keyId: string): Promise<void>
  }
  /** Issuers whose tokens an account accepts beside ours. Changes hold here at once, elsewhere within seconds. */
  issuers: {
    create(accountId: string, input: NewTrustedIssuer): Promise<TrustedIssuer>
    list(accountId: string): Promise<TrustedIssuer[]>
    /** What is missing stays. */
    update(
      accountId: string,
      issuerId: string,
      changes: TrustedIssuerChanges,
    ): Promise<TrustedIssuer>
    delete(accountId: string, issuerId: string): Promise<void>
  }
  /** The keys that sign tokens; they belong to no account. */
  signingKeys: {
    /** Active and retired ones, never their private parts. */
    list(): Promise<SigningKeyInfo[]>
    /** Replaces the active key; the old one verifies until its last token is dead. */
    rotate(): Promise<SigningKeyInfo>
    /** Ends every token of a compromised key, in every process within seconds. */
    remove(keyId: string): Promise<void>
  }
  users: {
    create(accountId: string, input: CreateUserInput): Promise<UserResult>
    find(accountId: string, userId: string): Promise<UserResult>
    list(accountId: string, input?: ListUsersInput): Promise<UserList>
    replace(
      accountId: string,
      userId: string,
      input: ReplaceUserInput,
      options?: ReplaceOptions,
    ): Promise<UserResult>
    patch(
      accountId: string,
      userId: string,
      input: PatchUserInput,
      options?: ReplaceOptions,
    ): Promise<UserResult>
    activate(accountId: string, userId: string): Promise<UserResult>
    deactivate(accountId: string, userId: string): Promise<UserResult>
    delete(accountId: string, userId: string, options?: ChangeOptions): Promise<void>
  }
  auth: {
    logIn(accountId: string, input: { email: string; password: string }): Promise<SignedIn>
    refresh(accountId: string, input: { refresh_token: string }): Promise<SignedIn>
    logOut(accountId: string, input: { refresh_token: string }): Promise<void>
    /** @param token the JWT, without `Bearer` */
    validateToken(accountId: string, token: string): Promise<ValidatedToken>
  }
  sessions: {
    list(accountId: string, userId: string): Promise<Session[]>
    revoke(accountId: string, userId: string, sessionId: string): Promise<void>
    revokeAll(accountId: string, userId: string): Promise<void>
  }
  events: Pick<Events, 'on'>
  /** For adapters: answers a request below `/client/user`, and undefined to any other. Never rejects. */
  handle(request: HttpRequest): Promise<HttpResponse | undefined>
  /** For adapters: checks the user's token of a request to a route of the host's own. Never rejects. */
  guard(
    request: Pick<HttpRequest, 'headers' | 'rawHeaders'>,
    options?: GuardOptions,
  ): Promise<GuardResult>
  /** Resolves when the database answers. @throws ClienteleError `storage_unavailable` */
  ping(): Promise<void>
  /** Ends what is under way and lets go of the database. */
  close(): Promise<void>
}

/**
 * Puts the parts together: brings the schema up to date, and checks that the stored keys can be decrypted.
 *
 * @throws ClienteleError `secret_required`, `secret_wrong`, `configuration_invalid`, `storage_unavailable`
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
  const { repository, clock = Date.now, logger = consoleLogger, passwords = {} } = options
  checkOptions(options)
  if (options.migrate ?? true) await repository.migrate()
  const newId = createIdGenerator(clock)
  const events = new Events(logger)
  const ttlSeconds = options.tokenTtlSeconds ?? 7200
  const box = new SecretBox(options.secrets ?? findSecrets(repository, logger))
  const keyRing = new KeyRing({
    repository,
    box,
    clock,
    algorithm: options.signingAlgorithm ?? 'EdDSA',
    tokenLifeSeconds: ttlSeconds + leewaySeconds,
    maxAgeSeconds: options.signingKeyMaxAgeSeconds,
    logger,
    onRotated: (rotation) => events.emit('signing_key.rotated', rotation),
  })
  await keyRing.reload()
  await keyRing.reseal()
  const { allowPrivateAddresses = false } = options.trustedIssuers ?? {}
  const issuers = new TrustedIssuers({ repository, box, clock, logger, allowPrivateAddresses })
  await issuers.reseal()
  const services: Services = {
    repository,
    clock,
    newId,
    logger,
    keyRing,
    issuers,
    passwords: new PasswordHasher(passwords.hashing ?? {}, logger),
    passwordPolicy: passwords,
    accessTokens: new AccessTokens({
      keyRing,
      clock,
      newId,
      issuer: options.issuer ?? 'clientele',
      ttlSeconds,
    }),
    events,
    environment: options.environment ?? 'live',
    sessionTtlSeconds: options.sessionTtlSeconds ?? 30 * day,
    sessionMaxSeconds: options.sessionMaxSeconds ?? 90 * day,
    refreshReuseSeconds: options.refreshReuseSeconds ?? 10,
  }
  return assemble(services)
}

function assemble(services: Services): Clientele {
  const { repository, events } = services
  const schemas = createUserSchemas(services.passwordPolicy)
  const id = (value: string): string => parseInput(idSchema, value)
  const expected = (options?: ChangeOptions): number | null => options?.ifVersion ?? null
  const kept = (options?: ReplaceOptions): string | undefined =>
    options?.keepSessionId === undefined ? undefined : id(options.keepSessionId)
  const findAccount = async (accountId: string): Promise<Account> => {
    const account = await repository.findAccount(id(accountId))
    if (account === undefined) throw new ClienteleError('account_not_found')
    return account
  }
  return {
    accounts: {
      create: async (input) => createAccount(services, parseInput(newAccountSchema, input)),
      createFirst: async (input) =>
        createFirstAccount(services, parseInput(newAccountSchema, input)),
      find: findAccount,
      list: () => repository.listAccounts(),
      recount: async (accountId) => repository.recountUsers((await findAccount(accountId)).id),
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
      remove: (keyId) => removeSigningKey(services, keyId),
    },
    users: {
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
      activate: async (accountId, userId) =>
        setUserActive(services, id(accountId), id(userId), true),
      deactivate: async (accountId, userId) =>
        setUserActive(services, id(accountId), id(userId), false),
      delete: async (accountId, userId, options) =>
        deleteUser(services, id(accountId), id(userId), expected(options)),
    },
    auth: {
      logIn: async (accountId, input) =>
        logIn(services, id(accountId), parseInput(logInSchema, input)),
      refresh: async (accountId, input) =>
        refreshSession(services, id(accountId), parseInput(refreshSchema, input)),
      logOut: async (accountId, input) =>
        logOut(services, id(accountId), parseInput(refreshSchema, input)),
      validateToken: (accountId, token) => validateToken(services, accountId, token),
    },
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
    close: () => repository.close(),
  }
}
