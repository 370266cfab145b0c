import type { AccountsApi } from '../capabilities/accounts/api.ts'
import type { ApiKeysApi } from '../capabilities/api-keys/api.ts'
import type { IdentitiesApi } from '../capabilities/identities/api.ts'
import type { SessionsApi } from '../capabilities/sessions/api.ts'
import type { IssuerMetadata } from '../capabilities/signing-keys/issuer-metadata.ts'
import type { UsersApi } from '../capabilities/users/api.ts'
import type { ConsoleApi } from '../console/api.ts'
import type { ConsoleOptions } from '../console/http/console-options.ts'
import type { UserGuard } from '../mount/guard-request.ts'
import type { Mountable } from '../mount/mountable.ts'
import type { ClienteleMethods } from './capabilities.ts'

/**
 * What takes part in a transaction of yours: see `within`. Not signing in: it counts failures, which must stay when the
 * transaction is rolled back. Nor mail, which cannot be taken back; what works in many transactions (imports, exports, the
 * deletion of an account); and what reads the feed, whose places are given after the commit.
 */
export interface JoinedMethods {
  accounts: Pick<AccountsApi, 'create' | 'find' | 'list' | 'rename' | 'disable' | 'enable'>
  apiKeys: Pick<ApiKeysApi, 'create' | 'list' | 'rotate' | 'revoke'>
  users: UsersApi
  sessions: SessionsApi
  identities: IdentitiesApi
}

/** The console: links to it, and what answers for it. */
export interface ConsoleMethods extends ConsoleApi {
  /**
   * Makes what answers at and below `/client/console`, for adapters to mount beside the routes. Whoever has the package
   * `@clientele/console` calls its `consoleRoutes` instead, which has the page's files.
   *
   * @throws ClienteleError `configuration_invalid`
   */
  routes(options: ConsoleOptions): Mountable
}

/**
 * The one object that adapters and hosts hold; `createClientele` makes it. What is about an account takes the account's
 * id first, or a call that also says who does it and for which request.
 *
 * Whatever a method's own documentation says, it rejects with a `ClienteleError` of the code `validation_failed` where
 * an argument breaks a rule, before anything is read or changed, and of `storage_unavailable` where the database does
 * not answer.
 *
 * @example
 * const { user } = await clientele.users.find(accountId, userId)
 * const actor = { type: 'user' as const, id: user.id }
 * await clientele.users.patch({ accountId, actor, requestId: 'req-1' }, user.id, { name: 'Ada King' })
 */
export interface Clientele extends ClienteleMethods, Mountable, UserGuard {
  console: ConsoleMethods
  /**
   * Binds methods to a transaction of yours: what they write is committed or rolled back with your rows, events included.
   * Listeners of `events.on` hear of it after the commit. A call that fails leaves the transaction as it was, and usable.
   * Calls on one handle take turns. A new password is hashed before the first statement. Signing in, mail, imports, exports,
   * webhooks and the feed are not here.
   *
   * @param handle your transaction: the client of `pg` on which it has begun, a connection of better-sqlite3 to the same
   *   file, or the transaction of Kysely, of Drizzle on PostgreSQL, or of Prisma. See guides/transactions.md
   * @throws ClienteleError `transaction_invalid` for what is no such handle; `transaction_foreign` when it is in another
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
   * Makes the metadata of an account's issuer, for hosts that answer at the form of its address that RFC 8414 inserts at
   * the origin: `/.well-known/oauth-authorization-server/api/v1/client/account/<id>`. Undefined where there is none:
   * no such account, or no `publicUrl`. The routes answer below the issuer by themselves.
   *
   * @example const metadata = await clientele.metadata(accountId)
   */
  metadata(accountId: string): Promise<IssuerMetadata | undefined>
  /**
   * Resolves when the database answers, and rejects within a second when it does not.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  ping(): Promise<void>
  /**
   * Answers those who wait for events or revocations (`wait`); from now on nobody waits. Call it when your server begins to
   * stop, or they hold it up for as long as they wait. `close` does it, too.
   */
  stopWaiting(): void
  /** Waits for what is under way, for mails five seconds at most, and lets go of the database. */
  close(): Promise<void>
}
