import type { AccountsApi } from '../capabilities/accounts/api.ts'
import type { ApiKeysApi } from '../capabilities/api-keys/api.ts'
import type { DevicesApi } from '../capabilities/devices/api.ts'
import type { IdentitiesApi } from '../capabilities/identities/api.ts'
import type { ScimApi } from '../capabilities/scim/api.ts'
import type { SessionsApi } from '../capabilities/sessions/api.ts'
import type { IssuerMetadata } from '../capabilities/signing-keys/issuer-metadata.ts'
import type { UserTokensApi } from '../capabilities/user-tokens/api.ts'
import type { UsersApi } from '../capabilities/users/api.ts'
import type { ConsoleApi } from '../console/api.ts'
import type { ConsoleOptions } from '../console/http/console-options.ts'
import type { UserGuard } from '../mount/guard-request.ts'
import type { Mountable } from '../mount/mountable.ts'
import type { ClienteleMethods } from './capabilities.ts'

/**
 * The methods that can run in a transaction of yours: see `within`. Excluded are signing in, which counts failures that
 * a rollback must not undo; e-mails, which cannot be taken back; work in many transactions (imports, exports, the
 * deletion of an account); and reading the feed, whose positions are assigned after the commit.
 */
export interface JoinedMethods {
  accounts: Pick<
    AccountsApi,
    'create' | 'find' | 'list' | 'update' | 'rename' | 'setPolicy' | 'disable' | 'enable'
  >
  apiKeys: Pick<ApiKeysApi, 'create' | 'list' | 'rotate' | 'revoke'>
  users: UsersApi
  sessions: SessionsApi
  devices: DevicesApi
  userTokens: UserTokensApi
  identities: IdentitiesApi
}

/** The console: its links and its handler. */
export interface ConsoleMethods extends ConsoleApi {
  /**
   * Creates the handler of `/client/console`, for adapters to mount beside the routes. With the package
   * `@clientele/console` use its `consoleRoutes` instead, which includes the page's files.
   *
   * @throws ClienteleError `configuration_invalid`
   */
  routes(options: ConsoleOptions): Mountable
}

/** SCIM: its handler, and the names that it stores. */
export interface ScimMethods extends ScimApi {
  /**
   * Creates the handler of `/scim/v2`, for adapters to mount beside the routes. The package `@clientele/scim` exports it as
   * `scimRoutes`.
   *
   * @example app.use('/api/v1', clienteleRoutes(clientele.scim.routes()))
   */
  routes(): Mountable
}

/**
 * The one object that adapters and hosts use; `createClientele` creates it. Methods about an account take the account's
 * id first, or a call that also names the actor and the request.
 *
 * In addition to its documented errors each method rejects with a `ClienteleError`: `validation_failed` when an
 * argument is invalid, before anything is read or changed, and `storage_unavailable` when the database does not answer.
 *
 * @example
 * const { user } = await clientele.users.find(accountId, userId)
 * const actor = { type: 'user' as const, id: user.id }
 * await clientele.users.patch({ accountId, actor, requestId: 'req-1' }, user.id, { name: 'Ada King' })
 */
export interface Clientele extends ClienteleMethods, Mountable, UserGuard {
  console: ConsoleMethods
  scim: ScimMethods
  /**
   * Binds methods to a transaction of yours: their writes, including events, are committed or rolled back with your
   * rows. Listeners of `events.on` are called after the commit. A failed call leaves the transaction as it was, and
   * usable. Calls on one handle take turns. A new password is hashed before the first statement. Signing in, e-mails,
   * imports, exports, webhooks and the feed are not available. What asks one of your hooks rejects with `hook_in_transaction`.
   *
   * @param handle your transaction: the client of `pg` on which it has begun, a connection of better-sqlite3 to the same
   *   file, or the transaction of Kysely, of Drizzle on PostgreSQL, or of Prisma. See guides/transactions.md
   * @throws ClienteleError `transaction_invalid` when it is none of these; `transaction_foreign` when it is in another
   *   database. The methods reject with `transaction_required` when no transaction is open, with `transaction_failed`
   *   when it has failed, and with `transaction_foreign`
   * @example
   * const client = await pool.connect()
   * await client.query('begin')
   * const { user } = await clientele.within(client).users.create(accountId, {
   *   name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple',
   * })
   * await client.query('insert into profiles (user_id) values ($1)', [user.id])
   * await client.query('commit')
   */
  within(handle: object): JoinedMethods
  /**
   * Returns the metadata of an account's issuer, for hosts that serve it at the origin, where RFC 8414 expects it:
   * `/.well-known/oauth-authorization-server/api/v1/client/account/<id>`. Undefined without such an account or without
   * `publicUrl`. Below the issuer's URL the routes serve it themselves.
   *
   * @example const metadata = await clientele.metadata(accountId)
   */
  metadata(accountId: string): Promise<IssuerMetadata | undefined>
  /**
   * Resolves when the database answers; rejects within a second when it does not.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  ping(): Promise<void>
  /**
   * Ends all waits for events and revocations (`wait`); later waits end at once. Call it when your server begins to
   * stop, because open waits would delay it. `close` does it, too.
   */
  stopWaiting(): void
  /** Waits for the work under way, for e-mails at most five seconds, and closes the database. */
  close(): Promise<void>
}
