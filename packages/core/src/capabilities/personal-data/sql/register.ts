import type { Database } from '../../../sql/database.ts'
import { columnOf, type UserColumns, userFieldNames } from '../../../user-model/fields.ts'
import type { TableRule } from './table-rules.ts'
import { tablesWithoutPersons } from './tables-without-persons.ts'

// Whatever is a field of a user is about a person.
const userColumns = Object.fromEntries(
  userFieldNames.map((name) => [columnOf(name), 'personal']),
) as Record<keyof UserColumns, 'personal'> // one member a field

/**
 * Of every table and column whether it is personal, and what the erasure of a person does with it. A column that is not
 * here does not compile; a test compares it with what the databases have. Receipts are made from it.
 */
export const personalDataRegister = {
  ...tablesWithoutPersons,
  clientele_users: {
    erasure: 'by name',
    columns: {
      ...userColumns,
      account_id: 'nothing',
      id: 'id',
      name_key: 'personal',
      password_hash: 'secret',
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
  clientele_identities: {
    erasure: 'with the user',
    columns: {
      account_id: 'nothing',
      id: 'id',
      user_id: 'id',
      issuer: 'personal',
      subject: 'personal',
      created_at: 'personal',
      last_used_at: 'personal',
    },
  },
  clientele_passkeys: {
    erasure: 'with the user',
    columns: {
      account_id: 'nothing',
      id: 'id',
      user_id: 'id',
      credential_id: 'personal',
      public_key: 'personal',
      counter: 'personal',
      rp_id: 'nothing',
      name: 'personal',
      use: 'personal',
      transports: 'personal',
      is_synced: 'personal',
      backed_up: 'personal',
      created_at: 'personal',
      last_used_at: 'personal',
    },
  },
  clientele_passkey_ceremonies: {
    erasure: 'with the user',
    columns: {
      account_id: 'nothing',
      hash: 'secret',
      purpose: 'personal',
      user_id: 'id',
      encrypted_email: 'secret',
      by_user: 'nothing',
      expires_at: 'nothing',
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
      amr: 'personal',
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
  clientele_former_emails: {
    erasure: 'with the user',
    columns: { account_id: 'nothing', user_id: 'id', email: 'personal' },
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
      person_salt: 'emptied',
      chain: 'nothing',
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
