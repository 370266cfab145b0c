import type { Database } from '../../sql/database.ts'

/**
 * What a column says of a person: nothing; whom it is about, by an id that alone tells nobody who that is; something
 * personal; or a secret, which is in no export either.
 */
type ColumnRule = 'nothing' | 'id' | 'personal' | 'secret'

/** Rows that go when a person is erased. */
interface Erased<Table extends keyof Database> {
  /** `with the user`: by the foreign key to the user's row. `by name`: the erasure deletes them itself. */
  erasure: 'with the user' | 'by name'
  columns: Record<keyof Database[Table], ColumnRule>
  /** What of such rows may stay, and why */
  retained?: string
}

/** Rows that stay, though they are about a person: `emptied` is what the erasure sets to null. */
interface Kept<Table extends keyof Database> {
  erasure: 'kept'
  columns: Record<keyof Database[Table], 'nothing' | 'id' | 'emptied'>
  retained: string
}

/** Rows that are about no user. */
interface Untouched<Table extends keyof Database> {
  erasure: 'none'
  columns: Record<keyof Database[Table], 'nothing'>
}

type TableRule<Table extends keyof Database> = Erased<Table> | Kept<Table> | Untouched<Table>

/**
 * Of every table and column whether it is personal, and what the erasure of a person does with it. A column that is not
 * here does not compile; a test compares it with what the databases have. Receipts are made from it.
 */
export const personalDataRegister = {
  clientele_users: {
    erasure: 'by name',
    columns: {
      account_id: 'nothing',
      id: 'id',
      email: 'personal',
      name: 'personal',
      name_key: 'personal',
      roles: 'personal',
      metadata: 'personal',
      is_active: 'personal',
      password_hash: 'secret',
      created_at: 'personal',
      updated_at: 'personal',
      version: 'nothing',
      tokens_not_before: 'nothing',
    },
  },
  clientele_user_words: {
    erasure: 'with the user',
    columns: { account_id: 'nothing', word: 'personal', user_id: 'id' },
  },
  clientele_user_roles: {
    erasure: 'with the user',
    columns: { account_id: 'nothing', role: 'personal', user_id: 'id' },
  },
  clientele_sessions: {
    erasure: 'with the user',
    columns: {
      account_id: 'nothing',
      id: 'id',
      user_id: 'id',
      amr: 'personal',
      created_at: 'personal',
      last_used_at: 'personal',
      expires_at: 'personal',
      ends_at: 'nothing',
      successor_seed: 'secret',
      refresh_token_hash: 'secret',
      refreshes: 'nothing',
      refreshed_at: 'nothing',
      window_refreshes: 'nothing',
      window_ends_at: 'nothing',
    },
  },
  clientele_mfa_factors: {
    erasure: 'with the user',
    columns: {
      account_id: 'nothing',
      user_id: 'id',
      encrypted_totp_secret: 'secret',
      totp_confirmed_at: 'personal',
      totp_last_step: 'nothing',
      email_enabled: 'personal',
    },
  },
  clientele_recovery_codes: {
    erasure: 'with the user',
    columns: { account_id: 'nothing', user_id: 'id', hash: 'secret' },
  },
  clientele_challenges: {
    erasure: 'with the user',
    columns: {
      account_id: 'nothing',
      hash: 'secret',
      user_id: 'id',
      password_hash: 'secret',
      tries_left: 'nothing',
      mails_left: 'nothing',
      email_code_hash: 'secret',
      mailed_to: 'personal',
      expires_at: 'nothing',
    },
  },
  clientele_email_tokens: {
    erasure: 'with the user',
    columns: {
      account_id: 'nothing',
      hash: 'secret',
      user_id: 'id',
      purpose: 'personal',
      email: 'personal',
      expires_at: 'personal',
    },
  },
  clientele_verified_emails: {
    erasure: 'with the user',
    columns: { account_id: 'nothing', user_id: 'id', email: 'personal', verified_at: 'personal' },
  },
  clientele_replies: {
    erasure: 'by name',
    columns: {
      account_id: 'nothing',
      operation: 'nothing',
      key: 'nothing',
      digest: 'secret',
      answer: 'personal',
      user_id: 'id',
      expires_at: 'nothing',
    },
  },
  clientele_rate_limits: {
    erasure: 'by name',
    columns: { account_id: 'nothing', key: 'personal', points: 'nothing', expires_at: 'nothing' },
    retained:
      'Failed attempts that were counted together with the network they came from, under a digest of both: they count until their window ends.',
  },
  clientele_events: {
    erasure: 'kept',
    columns: {
      account_id: 'nothing',
      id: 'nothing',
      type: 'nothing',
      created_at: 'nothing',
      actor_type: 'nothing',
      actor_id: 'id',
      request_id: 'nothing',
      subject_type: 'nothing',
      subject_id: 'id',
      data: 'id',
      person: 'emptied',
      position: 'nothing',
    },
    retained:
      'The audit log says what happened, when, and by which id, until the time of its entries ends: without name, e-mail addresses, roles and metadata.',
  },
  clientele_user_count_deltas: {
    erasure: 'kept',
    columns: { account_id: 'nothing', user_id: 'id', delta: 'nothing' },
    retained: "Totals of users are kept by ranges of ids, and an id may be a range's border.",
  },
  clientele_user_count_groups: {
    erasure: 'kept',
    columns: { account_id: 'nothing', lower_id: 'id', folded: 'nothing' },
    retained: "Totals of users are kept by ranges of ids, and an id may be a range's border.",
  },
  clientele_user_count_ranges: {
    erasure: 'kept',
    columns: { account_id: 'nothing', lower_id: 'id', folded: 'nothing' },
    retained: "Totals of users are kept by ranges of ids, and an id may be a range's border.",
  },
  clientele_user_counts: {
    erasure: 'none',
    columns: { account_id: 'nothing', version: 'nothing', folded: 'nothing' },
  },
  clientele_event_feeds: {
    erasure: 'none',
    columns: { account_id: 'nothing', last_position: 'nothing', purged_position: 'nothing' },
  },
  clientele_migrations: {
    erasure: 'none',
    columns: { name: 'nothing', applied_at: 'nothing' },
  },
  clientele_accounts: {
    erasure: 'none',
    columns: {
      id: 'nothing',
      name: 'nothing',
      allowed_roles: 'nothing',
      created_at: 'nothing',
      disabled_at: 'nothing',
    },
  },
  clientele_api_keys: {
    erasure: 'none',
    columns: {
      account_id: 'nothing',
      id: 'nothing',
      name: 'nothing',
      scopes: 'nothing',
      prefix: 'nothing',
      hash: 'nothing',
      created_at: 'nothing',
      expires_at: 'nothing',
      revoked_at: 'nothing',
      last_used_at: 'nothing',
      replaced_at: 'nothing',
      unreplaced_expires_at: 'nothing',
    },
  },
  clientele_trusted_issuers: {
    erasure: 'none',
    columns: {
      account_id: 'nothing',
      id: 'nothing',
      issuer: 'nothing',
      audience: 'nothing',
      algorithms: 'nothing',
      user_claim: 'nothing',
      encrypted_secret: 'nothing',
      public_keys: 'nothing',
      jwks_url: 'nothing',
      max_lifetime_seconds: 'nothing',
      trust_unverified_email: 'nothing',
      created_at: 'nothing',
      updated_at: 'nothing',
    },
  },
  clientele_webhooks: {
    erasure: 'none',
    columns: {
      account_id: 'nothing',
      id: 'nothing',
      url: 'nothing',
      types: 'nothing',
      description: 'nothing',
      is_active: 'nothing',
      disabled_reason: 'nothing',
      encrypted_secret: 'nothing',
      previous_encrypted_secret: 'nothing',
      previous_expires_at: 'nothing',
      created_at: 'nothing',
      updated_at: 'nothing',
      position: 'nothing',
      failing_since: 'nothing',
      attempt_count: 'nothing',
      lease_holder: 'nothing',
      lease_until: 'nothing',
    },
  },
  // What waits to be sent again points to its event, and is written anew from it each time; only a test has a payload.
  clientele_webhook_deliveries: {
    erasure: 'none',
    columns: {
      account_id: 'nothing',
      webhook_id: 'nothing',
      event_id: 'nothing',
      position: 'nothing',
      payload: 'nothing',
      attempts: 'nothing',
      next_attempt_at: 'nothing',
    },
  },
  clientele_webhook_attempts: {
    erasure: 'none',
    columns: {
      account_id: 'nothing',
      webhook_id: 'nothing',
      slot: 'nothing',
      id: 'nothing',
      event_id: 'nothing',
      type: 'nothing',
      attempt: 'nothing',
      status: 'nothing',
      attempted_at: 'nothing',
      duration_ms: 'nothing',
    },
  },
  // How far a file was read, under the name that the operator gave it
  clientele_imports: {
    erasure: 'none',
    columns: {
      account_id: 'nothing',
      source: 'nothing',
      records: 'nothing',
      imported: 'nothing',
      updated: 'nothing',
      skipped: 'nothing',
      conflicts: 'nothing',
      without_password: 'nothing',
    },
  },
  clientele_signing_keys: {
    erasure: 'none',
    columns: {
      id: 'nothing',
      algorithm: 'nothing',
      public_jwk: 'nothing',
      encrypted_private_jwk: 'nothing',
      created_at: 'nothing',
      retired_at: 'nothing',
      token_life_seconds: 'nothing',
    },
  },
} as const satisfies { [Table in keyof Database]: TableRule<Table> }

type Register = typeof personalDataRegister

/** The tables whose rows go with the user's row */
export type TableOfUser = {
  [Table in keyof Register]: Register[Table]['erasure'] extends 'with the user' ? Table : never
}[keyof Register]

/** What remains, as a receipt says it. */
export function listRetained(): { what: string; why: string }[] {
  return Object.entries(personalDataRegister).flatMap(([what, rule]) =>
    'retained' in rule ? [{ what, why: rule.retained }] : [],
  )
}

export const tablesOfUser = (Object.keys(personalDataRegister) as (keyof Register)[]) // its own keys
  .filter((table): table is TableOfUser => personalDataRegister[table].erasure === 'with the user')
