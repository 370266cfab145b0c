import type { Database } from '../../sql/database.ts'
import type { Untouched } from './table-rules.ts'

/** A part of the register: the tables that are about no user. An erasure does nothing in them. */
export const tablesWithoutPersons = {
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
} as const satisfies { [Table in keyof Database]?: Untouched<Table> }
