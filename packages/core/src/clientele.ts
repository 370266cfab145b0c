import type { Account, NewAccount, RenameAccount } from './accounts/account.ts'
import type { FirstAccount } from './accounts/bootstrap.ts'
import type { ApiKey, NewApiKey, RotateApiKey } from './api-keys/api-key.ts'
import type { CreatedApiKey } from './api-keys/create-api-key.ts'
import type { CallInput } from './call.ts'
import type { Events } from './events/events.ts'
import type { GuardOptions, GuardResult } from './http/guard-request.ts'
import type { HttpRequest, HttpResponse } from './http/message.ts'
import type { Operation } from './http/operations.ts'
import type { ExportRecord } from './import-export/export-users.ts'
import type { ImportOptions } from './import-export/import-policy.ts'
import type { ImportRecord } from './import-export/import-record.ts'
import type { ImportResult } from './import-export/import-result.ts'
import type { MfaMethod, MfaRequired } from './mfa/challenge-user.ts'
import type { MfaState } from './mfa/mfa-state.ts'
import type { TotpEnrolment } from './mfa/totp-factor.ts'
import type { Session } from './sessions/list-sessions.ts'
import type { SignedIn } from './sessions/open-session.ts'
import type { SigningKeyInfo } from './signing-keys/signing-keys.ts'
import type { ValidatedToken } from './tokens/validate-token.ts'
import type {
  NewTrustedIssuer,
  TrustedIssuer,
  TrustedIssuerChanges,
} from './trusted-issuers/trusted-issuer.ts'
import type { ClientUser } from './users/client-user.ts'
import type { UserList } from './users/list-users.ts'
import type { ListUsersInput } from './users/page.ts'
import type { CreateUserInput, PatchUserInput, ReplaceUserInput } from './users/user-input.ts'

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
    bootstrap(input: NewAccount): Promise<FirstAccount | undefined>
    find(call: CallInput): Promise<Account>
    list(): Promise<Account[]>
    rename(call: CallInput, input: RenameAccount): Promise<Account>
    /**
     * From the next request on, in every process, its API keys and its users' tokens are refused and nobody signs in.
     * Nothing is lost: `enable` lets keys, sessions and tokens go on.
     */
    disable(call: CallInput): Promise<Account>
    enable(call: CallInput): Promise<Account>
    /** Disables the account, then deletes it with its users, keys and all else that is its. Permanent. */
    delete(call: CallInput): Promise<void>
    /** Counts the account's users anew, should totals ever be wrong; answers with the total. */
    recount(call: CallInput): Promise<number>
  }
  apiKeys: {
    /** The secret is in the result and nowhere else. */
    create(call: CallInput, input?: NewApiKey): Promise<CreatedApiKey>
    list(call: CallInput): Promise<ApiKey[]>
    /** The new key has the old one's name and scopes; the old one expires after the overlap, a day by default. */
    rotate(call: CallInput, keyId: string, input?: RotateApiKey): Promise<CreatedApiKey>
    /** From the next request on, in every process. */
    revoke(call: CallInput, keyId: string): Promise<void>
  }
  /** Issuers whose tokens an account accepts beside ours. Changes hold here at once, elsewhere within seconds. */
  trustedIssuers: {
    create(call: CallInput, input: NewTrustedIssuer): Promise<TrustedIssuer>
    list(call: CallInput): Promise<TrustedIssuer[]>
    /** What is missing stays. */
    update(call: CallInput, issuerId: string, changes: TrustedIssuerChanges): Promise<TrustedIssuer>
    delete(call: CallInput, issuerId: string): Promise<void>
  }
  /** The keys that sign tokens; they belong to no account. */
  signingKeys: {
    /** Active and retired ones, never their private parts. */
    list(): Promise<SigningKeyInfo[]>
    /** Replaces the active key; the old one verifies until its last token is dead. */
    rotate(): Promise<SigningKeyInfo>
    /** Ends a key's signing, after a change of `signingAlgorithm`; it verifies until its last token is dead. */
    retire(keyId: string): Promise<void>
    /** Ends every token of a compromised key, in every process within seconds. */
    remove(keyId: string): Promise<void>
  }
  users: {
    create(call: CallInput, input: CreateUserInput): Promise<UserResult>
    find(call: CallInput, userId: string): Promise<UserResult>
    list(call: CallInput, input?: ListUsersInput): Promise<UserList>
    replace(
      call: CallInput,
      userId: string,
      input: ReplaceUserInput,
      options?: ReplaceOptions,
    ): Promise<UserResult>
    patch(
      call: CallInput,
      userId: string,
      input: PatchUserInput,
      options?: ReplaceOptions,
    ): Promise<UserResult>
    /** In the order of the records, which becomes the order of creation. */
    import(
      call: CallInput,
      records: AsyncIterable<ImportRecord>,
      options?: ImportOptions,
    ): Promise<ImportResult>
    export(call: CallInput, options?: { withHashes?: boolean }): AsyncIterable<ExportRecord>
    activate(call: CallInput, userId: string): Promise<UserResult>
    deactivate(call: CallInput, userId: string): Promise<UserResult>
    delete(call: CallInput, userId: string, options?: ChangeOptions): Promise<void>
    /**
     * When the address that the user has now was verified; ISO 8601, UTC. Null: it was not.
     *
     * @throws ClienteleError `user_not_found`
     */
    getEmailVerifiedAt(call: CallInput, userId: string): Promise<string | null>
  }
  auth: {
    logIn(
      call: CallInput,
      input: { email: string; password: string },
    ): Promise<SignedIn | MfaRequired>
    completeMfa(
      call: CallInput,
      input: { challenge: string; method: MfaMethod; code: string },
    ): Promise<SignedIn>
    mailMfaCode(call: CallInput, input: { challenge: string }): Promise<void>
    /** Resolves for every address alike; the mail goes out afterwards, if a user has it. */
    forgotPassword(call: CallInput, input: { email: string }): Promise<void>
    resetPassword(call: CallInput, input: { token: string; password: string }): Promise<void>
    /** Resolves for every address alike; the mail goes out afterwards, if a user has it. */
    requestEmailVerification(call: CallInput, input: { email: string }): Promise<void>
    verifyEmail(call: CallInput, input: { token: string }): Promise<void>
    refresh(call: CallInput, input: { refresh_token: string }): Promise<SignedIn>
    logOut(call: CallInput, input: { refresh_token: string }): Promise<void>
    /** @param token the JWT, without `Bearer` */
    validateToken(call: CallInput, token: string): Promise<ValidatedToken>
  }
  /** A user's second factors. */
  mfa: {
    read(call: CallInput, userId: string): Promise<MfaState>
    enrolTotp(
      call: CallInput,
      userId: string,
      options?: { qrCode?: boolean },
    ): Promise<TotpEnrolment>
    /** Answers with the recovery codes, this once. */
    confirmTotp(call: CallInput, userId: string, input: { code: string }): Promise<string[]>
    enrolEmail(call: CallInput, userId: string): Promise<void>
    renewRecoveryCodes(call: CallInput, userId: string): Promise<string[]>
    remove(call: CallInput, userId: string): Promise<void>
  }
  sessions: {
    list(call: CallInput, userId: string): Promise<Session[]>
    revoke(call: CallInput, userId: string, sessionId: string): Promise<void>
    revokeAll(call: CallInput, userId: string): Promise<void>
  }
  events: Pick<Events, 'on'>
  /** For adapters: every operation that `handle` has. */
  operations: readonly Operation[]
  /** For adapters: answers a request below `/client/user`, and undefined to any other. Never rejects. */
  handle(request: HttpRequest): Promise<HttpResponse | undefined>
  /** For adapters: checks the user's token of a request to a route of the host's own. Never rejects. */
  guard(
    request: Pick<HttpRequest, 'headers' | 'rawHeaders'>,
    options?: GuardOptions,
  ): Promise<GuardResult>
  /** Resolves when the database answers, and rejects within a second when it does not. @throws ClienteleError `storage_unavailable` */
  ping(): Promise<void>
  /** Waits for what is under way, for mails five seconds at most, and lets go of the database. */
  close(): Promise<void>
}
