import type { Account, AccountRules, AccountValues } from './accounts/account.ts'
import type { ApiKey, Scope } from './api-keys/api-key.ts'
import type { JsonObject } from './input/json.ts'
import type {
  EmailTokenRepository,
  MfaRepository,
  RateLimitRepository,
  SessionRepository,
} from './sign-in-repository.ts'
import type { ImportExportRepository, NewUserRecord } from './transfer-repository.ts'
import type { PublicJwk } from './trusted-issuers/public-jwk.ts'
import type { IssuerAlgorithm, UserClaim } from './trusted-issuers/trusted-issuer.ts'
import type { VersionedUser } from './users/client-user.ts'
import type { PageRequest } from './users/page.ts'

export type * from './sign-in-repository.ts'
export type * from './transfer-repository.ts'

// Times are milliseconds since the epoch throughout the port.

export interface UserChanges {
  email: string
  name: string
  roles: string[]
  metadata: JsonObject
  /** Absent: it stays. False ends every session of the user, and what was mailed to reset the password. */
  isActive?: boolean | undefined
  /** Absent: the password stays. Present: it changes, and every session of the user ends. */
  passwordHash?: string | undefined
  /** The session that a new password leaves alive */
  keepSessionId?: string | undefined
  /** The user as it was, where that is known: what is the same need not be written */
  before?: VersionedUser | undefined
  updatedAt: number
}

export type CreateUserOutcome = 'created' | 'email_taken' | 'account_not_found'
export type ChangeUserOutcome =
  | VersionedUser
  | 'user_not_found'
  | 'email_taken'
  | 'precondition_failed'

export interface UserPage {
  users: VersionedUser[]
  total: number
  /** Whether there are users beyond these: behind them, or before them where the cursor leads backwards */
  hasMore: boolean
}

/** What signing in needs to know of a user. */
export interface Credentials extends VersionedUser {
  passwordHash: string | null
}

/** Whom a token speaks of: the user and, for our own tokens, the session and the key that signed. */
export interface TokenSubject {
  userId: string
  sessionId: string | null
  keyId?: string | undefined
}

export interface SubjectState extends VersionedUser {
  /** Whether the named session exists and has not expired; true where none was named. */
  hasLiveSession: boolean
  /** Whether the named signing key exists; true where none was named. */
  hasSigningKey: boolean
  /** Tokens of other issuers that were issued up to this time are revoked. */
  tokensNotBefore: number
  /** Whether all tokens of the account's users are refused. */
  isAccountDisabled: boolean
}

export interface ApiKeyRecord {
  id: string
  name: string
  scopes: string[]
  prefix: string
  hash: string
  createdAt: number
  expiresAt: number | null
}

/** What a key allows, as far as a request needs to know. */
export interface ApiKeyGrant {
  id: string
  scopes: Scope[]
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** What one look-up with a key's hash answers: the key, its account and, when one was named, the token's subject. */
export interface ApiKeyMatch {
  account: AccountRules
  isAccountDisabled: boolean
  key: ApiKeyGrant
  subject: SubjectState | undefined
}

/** A refresh token that is known, used or not, with its session. */
export interface SigningKeyRecord {
  /** The key id, `kid` in a token's header */
  id: string
  algorithm: string
  /** Public JWK as JSON; for HS256 empty */
  publicJwk: string
  /** Private JWK as JSON, encrypted by the secret box */
  encryptedPrivateJwk: string
  createdAt: number
  /** When it stopped signing; null while it is the active key of its algorithm */
  retiredAt: number | null
  /** How long a token that it signs can be accepted at most, in seconds, whichever process signs */
  tokenLifeSeconds: number
}

/** An issuer that an account trusts; its keys are one of the three. */
export interface IssuerRecord {
  id: string
  issuer: string
  audience: string
  algorithms: IssuerAlgorithm[]
  userClaim: UserClaim
  /** Encrypted by the secret box */
  encryptedSecret: string | null
  publicKeys: PublicJwk[] | null
  jwksUrl: string | null
  /** How long after `iat` its tokens may end at most */
  maxLifetimeSeconds: number
  /** Whether an e-mail names a user that the token does not call verified */
  trustUnverifiedEmail: boolean
  createdAt: number
  updatedAt: number
}

/**
 * Every query that an action needs. The account's id is always the first argument, and no method answers with, or
 * changes, anything of another account. Methods without it are about what belongs to no account.
 *
 * An implementation throws `ClienteleError` `storage_unavailable` when the database does not answer.
 */
export interface Repository
  extends AccountRepository,
    UserRepository,
    SessionRepository,
    ImportExportRepository,
    MfaRepository,
    EmailTokenRepository,
    RateLimitRepository,
    SigningKeyRepository,
    IssuerRepository,
    StorageRepository {}

export interface AccountRepository {
  createAccount(accountId: string, account: AccountValues, createdAt: number): Promise<void>
  /**
   * Stores the account with its first key when there is no account at all, and answers whether it did: of any number
   * of processes that try at once, one.
   */
  bootstrap(
    accountId: string,
    account: AccountValues,
    createdAt: number,
    key: ApiKeyRecord,
  ): Promise<boolean>
  findAccount(accountId: string): Promise<Account | undefined>
  listAccounts(): Promise<Account[]>
  /** Answers whether there is such an account. */
  renameAccount(accountId: string, name: string): Promise<boolean>
  /** Null: it is not disabled any more. Answers whether that changed anything; what is disabled keeps its time. */
  setAccountDisabled(accountId: string, disabledAt: number | null): Promise<boolean>
  /** Deletes the users with the lowest ids, and answers how many those were. */
  deleteFirstUsers(accountId: string, limit: number): Promise<number>
  /** Deletes the account with all that is its. Answers whether there was such an account. */
  deleteAccount(accountId: string): Promise<boolean>
  createApiKey(accountId: string, key: ApiKeyRecord): Promise<'created' | 'account_not_found'>
  listApiKeys(accountId: string): Promise<ApiKey[]>
  /** Answers whether the account has such a key. Revoking twice keeps the first time. */
  revokeApiKey(accountId: string, keyId: string, revokedAt: number): Promise<boolean>
  /**
   * Adds a key with the name and scopes of another, which expires at `oldExpiresAt` unless it does earlier; with
   * `expiresAt` undefined, the new key lives as long as the other was made for. Answers with undefined, and changes
   * nothing, when the account has no such key, or it is revoked or expired by then.
   */
  rotateApiKey(
    accountId: string,
    keyId: string,
    newKey: Pick<ApiKeyRecord, 'id' | 'prefix' | 'hash' | 'createdAt'> & {
      expiresAt: number | null | undefined
    },
    oldExpiresAt: number,
  ): Promise<{ name: string; scopes: Scope[]; replacedExpiresAt: number } | undefined>
  /** Writes only when the last noted use is more than a minute ago. */
  noteApiKeyUse(accountId: string, keyId: string, usedAt: number): Promise<void>
  /** Finds a key by the SHA-256 of its secret, revoked and expired ones too, in one round trip. */
  findApiKey(hash: string, now: number, subject?: TokenSubject): Promise<ApiKeyMatch | undefined>
}

export interface UserRepository {
  createUser(accountId: string, user: NewUserRecord): Promise<CreateUserOutcome>
  findUser(accountId: string, userId: string): Promise<VersionedUser | undefined>
  findCredentials(accountId: string, email: string): Promise<Credentials | undefined>
  findSubject(
    accountId: string,
    now: number,
    subject: TokenSubject,
  ): Promise<SubjectState | undefined>
  findSubjectByEmail(accountId: string, email: string): Promise<SubjectState | undefined>
  listUsers(accountId: string, request: PageRequest): Promise<UserPage>
  /** Repairs what totals and pages are read from, by counting the users themselves; answers with the total. */
  recountUsers(accountId: string): Promise<number>
  /** `expectedVersion` null: whatever the version is. */
  replaceUser(
    accountId: string,
    userId: string,
    changes: UserChanges,
    expectedVersion: number | null,
  ): Promise<ChangeUserOutcome>
  /** Deactivating ends every session of the user. */
  setUserActive(
    accountId: string,
    userId: string,
    isActive: boolean,
    at: number,
  ): Promise<VersionedUser | undefined>
  deleteUser(
    accountId: string,
    userId: string,
    expectedVersion: number | null,
  ): Promise<VersionedUser | 'user_not_found' | 'precondition_failed'>
  /** Stores the same password under new parameters; answers false when the hash has changed meanwhile. */
  rehashPassword(
    accountId: string,
    userId: string,
    oldHash: string,
    newHash: string,
  ): Promise<boolean>
}

export interface SigningKeyRepository {
  listSigningKeys(): Promise<SigningKeyRecord[]>
  /** Adds an active key, unless its algorithm has one already. */
  addFirstSigningKey(key: SigningKeyRecord): Promise<void>
  /** Retires the active key and adds the new one; answers false, and changes nothing, when it is not active any more. */
  rotateSigningKey(key: SigningKeyRecord, activeKeyId: string, retiredAt: number): Promise<boolean>
  /** Changes nothing when it is not active. */
  retireSigningKey(keyId: string, retiredAt: number): Promise<void>
  /** Answers whether there was such a key. */
  removeSigningKey(keyId: string): Promise<boolean>
  /** Removes the retired keys whose last token was dead at that time. */
  deleteExpiredSigningKeys(at: number): Promise<void>
  /** Notes that tokens of a key live so long from now on, if they have lived shorter. */
  raiseTokenLife(keyId: string, seconds: number): Promise<void>
  /** Stores the private part under another encryption, unless it has changed meanwhile. */
  reencryptSigningKey(keyId: string, oldEncrypted: string, newEncrypted: string): Promise<void>
}

export interface IssuerRepository {
  createIssuer(
    accountId: string,
    issuer: IssuerRecord,
  ): Promise<'created' | 'issuer_taken' | 'account_not_found'>
  listIssuers(accountId: string): Promise<IssuerRecord[]>
  /** Replaces all but the id and the time of creation, if it has not changed since that time. */
  updateIssuer(
    accountId: string,
    issuer: IssuerRecord,
    unchangedSince: number,
  ): Promise<'updated' | 'issuer_taken' | 'issuer_changed'>
  /** Answers with the name of the issuer that is gone. */
  deleteIssuer(accountId: string, issuerId: string): Promise<string | undefined>
  /** The shared secrets of every account. */
  listEncryptedIssuerSecrets(): Promise<
    { accountId: string; id: string; encryptedSecret: string }[]
  >
  /** Stores the same secret under another encryption, unless it has changed meanwhile. */
  reencryptIssuerSecret(
    accountId: string,
    issuerId: string,
    oldEncrypted: string,
    newEncrypted: string,
  ): Promise<void>
}

export interface StorageRepository {
  /** Brings the schema up to date and answers with the names of the steps that were applied now. */
  migrate(): Promise<string[]>
  /** Answers with the names of the steps that `migrate` would apply, and writes nothing. */
  missingMigrations(): Promise<string[]>
  /** @throws ClienteleError `storage_unavailable` */
  ping(): Promise<void>
  close(): Promise<void>
  /** A secret kept beside the data, where the storage has a place that only its owner may read. */
  localSecret?(): { secret: string; madeFile?: string }
}
