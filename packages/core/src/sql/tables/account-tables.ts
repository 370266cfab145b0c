import {
  counter,
  encrypted,
  flag,
  id,
  json,
  nullable,
  sortedText,
  type Table,
  text,
  time,
} from './column.ts'

/**
 * Accounts, their settings by operators, and the console. None of these rows is about a user: an erasure leaves them.
 */
export const accountTables = {
  clientele_migrations: { erasure: 'none', columns: { name: text(), applied_at: time() } },
  clientele_accounts: {
    erasure: 'none',
    columns: {
      id: id(),
      name: text(),
      /** Unique by `clientele_account_names`, as is `external_id`; null: none */
      slug: nullable(text()),
      external_id: nullable(text()),
      metadata: json(),
      allowed_roles: nullable(json()),
      created_at: time(),
      disabled_at: nullable(time()),
      /** `PasskeySettings`; null: not configured */
      passkeys: nullable(json()),
      /** `AccountPolicy` as JSON; null: not set */
      policy: nullable({ ...text(), holdsJson: true }),
    },
  },
  /**
   * What is unique over all accounts, written with the account's row. It is not distributed by account, which
   * `account_id` would mean.
   */
  clientele_account_names: {
    erasure: 'none',
    columns: { kind: sortedText(), name: sortedText(), owner_id: id() },
  },
  clientele_api_keys: {
    erasure: 'none',
    key: 'id',
    // Until then, a request with the key is an event.
    expires: { after: 'revoked_at', seconds: 400 * 24 * 3600 },
    columns: {
      account_id: id(),
      id: id(),
      name: text(),
      scopes: json(),
      prefix: text(),
      hash: sortedText(),
      created_at: time(),
      expires_at: nullable(time()),
      revoked_at: nullable(time()),
      last_used_at: nullable(time()),
      replaced_at: nullable(time()),
      unreplaced_expires_at: nullable(time()),
    },
  },
  clientele_trusted_issuers: {
    erasure: 'none',
    key: 'id',
    columns: {
      account_id: id(),
      id: id(),
      issuer: sortedText(),
      /** A JSON array */
      audience: { ...text(), holdsJson: true },
      client_id_as_audience: flag(),
      algorithms: json(),
      user_claim: text(),
      user_lookup: text(),
      encrypted_secret: nullable(encrypted('trusted issuer', 'nothing')),
      public_keys: nullable(json()),
      jwks_url: nullable(text()),
      max_lifetime_seconds: counter(),
      trust_unverified_email: flag(),
      sign_in: flag(),
      link_by_email: flag(),
      nonce: text(),
      max_age_seconds: nullable(counter()),
      created_at: time(),
      updated_at: time(),
    },
  },
  clientele_signing_keys: {
    erasure: 'none',
    key: 'id',
    encryptedUnder: 'encrypted_under',
    expires: { after: 'retired_at', seconds: 'token_life_seconds' },
    columns: {
      account_id: id(),
      id: sortedText(),
      algorithm: text(),
      public_jwk: text(),
      encrypted_private_jwk: encrypted('signing key', 'nothing'),
      /** Identifies the secret: the prefix of texts encrypted under it */
      encrypted_under: sortedText(),
      created_at: time(),
      /** When it starts to sign */
      signs_at: time(),
      /** When it stops signing; null: it has no successor */
      retired_at: nullable(time()),
      /** The maximum lifetime of a token that it signs */
      token_life_seconds: counter(),
    },
  },
  /** How far an import's file was read, by the file name that the operator gave: it can be resumed for 30 days. */
  clientele_imports: {
    erasure: 'none',
    key: 'source',
    expires: { after: 'updated_at', seconds: 30 * 24 * 3600 },
    columns: {
      account_id: id(),
      source: sortedText(),
      records: counter(),
      imported: counter(),
      updated: counter(),
      skipped: counter(),
      conflicts: counter(),
      without_password: counter(),
      /** When a batch was last stored; null: before this column existed */
      updated_at: nullable(time()),
    },
  },
  /** Links that open the console once; they belong to no account */
  clientele_console_links: {
    erasure: 'none',
    key: 'hash',
    expires: 'expires_at',
    columns: { hash: sortedText(), expires_at: time() },
  },
  clientele_console_sessions: {
    erasure: 'none',
    key: 'hash',
    expires: 'expires_at',
    columns: { hash: sortedText(), expires_at: time() },
  },
} as const satisfies Record<string, Table>
