import type { UserColumns } from '../user-model/fields.ts'

/** Rows as the drivers hand them over. Times are milliseconds since the epoch; JSON is text, so that nothing reorders it. */
export interface Database {
  clientele_migrations: { name: string; applied_at: number }
  clientele_accounts: {
    id: string
    name: string
    allowed_roles: string | null
    created_at: number
    disabled_at: number | null
    /** JSON of `PasskeySettings`; null: nobody has said */
    passkeys: string | null
  }
  clientele_api_keys: {
    account_id: string
    id: string
    name: string
    scopes: string
    prefix: string
    hash: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    last_used_at: number | null
    replaced_at: number | null
    unreplaced_expires_at: number | null
  }
  clientele_users: UserRow
  clientele_user_counts: { account_id: string; version: number; folded: number }
  /** Sums of ranges that follow each other */
  clientele_user_count_groups: { account_id: string; lower_id: string; folded: number }
  clientele_user_count_ranges: { account_id: string; lower_id: string; folded: number }
  clientele_user_count_deltas: { account_id: string; user_id: string; delta: number }
  /** What a search looks through besides names and e-mails: see `searchWordsOf`. */
  clientele_user_words: { account_id: string; word: string; user_id: string }
  clientele_user_roles: { account_id: string; role: string; user_id: string }
  clientele_sessions: {
    account_id: string
    id: string
    user_id: string
    amr: string
    created_at: number
    last_used_at: number
    /** Until when it lives unused */
    expires_at: number
    /** Until when it can be kept alive by use */
    ends_at: number
    /** With a refresh token, gives its successor */
    successor_seed: string
    /** Of the latest refresh token */
    refresh_token_hash: string
    refreshes: number
    refreshed_at: number | null
    /** Those of the refreshes that were in the window that ends then */
    window_refreshes: number
    window_ends_at: number
  }
  clientele_trusted_issuers: {
    account_id: string
    id: string
    issuer: string
    /** JSON: a list */
    audience: string
    client_id_as_audience: boolean | number
    algorithms: string
    user_claim: string
    user_lookup: string
    encrypted_secret: string | null
    public_keys: string | null
    jwks_url: string | null
    max_lifetime_seconds: number
    trust_unverified_email: boolean | number
    sign_in: boolean | number
    link_by_email: boolean | number
    nonce: string
    max_age_seconds: number | null
    created_at: number
    updated_at: number
  }
  /** Who users are at other issuers */
  clientele_identities: {
    account_id: string
    id: string
    user_id: string
    issuer: string
    subject: string
    created_at: number
    /** When it last signed the user in */
    last_used_at: number | null
  }
  clientele_passkeys: {
    account_id: string
    id: string
    user_id: string
    credential_id: string
    public_key: string
    counter: number
    /** The site that it is for */
    rp_id: string
    name: string
    use: string
    /** JSON: a list */
    transports: string
    is_synced: boolean | number
    backed_up: boolean | number
    created_at: number
    last_used_at: number | null
  }
  /** What was begun by handing out options: enrolling, signing in */
  clientele_passkey_ceremonies: {
    account_id: string
    hash: string
    purpose: string
    user_id: string | null
    encrypted_email: string | null
    by_user: boolean | number
    expires_at: number
  }
  /** Links that open the console once; they belong to no account */
  clientele_console_links: { hash: string; expires_at: number }
  clientele_console_sessions: { hash: string; expires_at: number }
  clientele_used_id_tokens: { account_id: string; digest: string; expires_at: number }
  clientele_webhooks: {
    account_id: string
    id: string
    url: string
    types: string
    description: string
    is_active: boolean | number
    disabled_reason: string | null
    encrypted_secret: string
    previous_encrypted_secret: string | null
    previous_expires_at: number | null
    created_at: number
    updated_at: number
    /** Up to here every event was delivered, has left the line, or is of another type. */
    position: number
    /** The first failure since the last success */
    failing_since: number | null
    /** How many attempts were ever made */
    attempt_count: number
    /** Who works for it, and until when nobody else does */
    lease_holder: string | null
    lease_until: number
  }
  /** What has left the line: it failed, or it is a test. */
  clientele_webhook_deliveries: {
    account_id: string
    webhook_id: string
    event_id: string
    position: number
    payload: string | null
    attempts: number
    next_attempt_at: number
  }
  clientele_webhook_attempts: {
    account_id: string
    webhook_id: string
    /** The attempt's number, modulo how many are kept */
    slot: number
    id: string
    event_id: string
    type: string
    attempt: number
    status: number | null
    /** `error` or `no_answer`; attempts of before 0014 have null */
    reason: string | null
    attempted_at: number
    duration_ms: number
  }
  clientele_mfa_factors: {
    account_id: string
    user_id: string
    encrypted_totp_secret: string | null
    totp_confirmed_at: number | null
    /** The last time step of which a code was used (RFC 6238) */
    totp_last_step: number | null
    email_enabled: boolean | number
  }
  clientele_recovery_codes: { account_id: string; user_id: string; hash: string }
  clientele_challenges: {
    account_id: string
    hash: string
    user_id: string
    /** How the sign-in began: JSON of authentication methods (RFC 8176) */
    amr: string
    password_hash: string | null
    tries_left: number
    mails_left: number
    email_code_hash: string | null
    /** The address that the code went to */
    mailed_to: string | null
    expires_at: number
  }
  clientele_email_tokens: {
    account_id: string
    hash: string
    user_id: string
    purpose: string
    email: string
    expires_at: number
  }
  /** The address that was verified: another one that the user has since is not. */
  clientele_verified_emails: {
    account_id: string
    user_id: string
    email: string
    verified_at: number
  }
  /** The addresses that a user had before */
  clientele_former_emails: { account_id: string; user_id: string; email: string }
  clientele_imports: {
    account_id: string
    source: string
    records: number
    imported: number
    updated: number
    skipped: number
    conflicts: number
    without_password: number
  }
  /** What requests with an `Idempotency-Key` were answered with */
  clientele_replies: {
    account_id: string
    operation: string
    key: string
    /** Keyed, of all that was asked for */
    digest: string
    answer: string
    /** Whom the answer tells of */
    user_id: string | null
    expires_at: number
  }
  clientele_rate_limits: { account_id: string; key: string; points: number; expires_at: number }
  clientele_events: {
    account_id: string
    id: string
    type: string
    created_at: number
    actor_type: string
    actor_id: string | null
    request_id: string
    subject_type: string
    subject_id: string | null
    /** JSON as on the wire, without what is personal */
    data: string
    /** JSON of what is personal */
    person: string | null
    /** Its place in the account's feed; null: it has none yet */
    position: number | null
    /** Keyed digests that link it to the entry before; null where its feed has no chain */
    chain: string | null
    /** What the digest of the person was made with. It goes with the person */
    person_salt: string | null
  }
  clientele_event_feeds: {
    account_id: string
    last_position: number
    /** What is up to this position is kept no more */
    purged_position: number
    /** The links of the last entry, and of the last one that is kept no more; null: it has none */
    chain: string | null
    purged_chain: string | null
  }
  clientele_signing_keys: {
    account_id: string
    id: string
    algorithm: string
    public_jwk: string
    encrypted_private_jwk: string
    /** Says which secret: how everything begins that is encrypted under it */
    encrypted_under: string
    created_at: number
    /** From when on it signs */
    signs_at: number
    /** From when on it signs no more; null: it has no successor */
    retired_at: number | null
    /** How long a token that it signs can be accepted at most */
    token_life_seconds: number
  }
}

/** A user's fields, and what is kept beside them. */
export interface UserRow extends UserColumns {
  account_id: string
  /** The name as it is searched and sorted */
  name_key: string
  password_hash: string | null
  version: number
  tokens_not_before: number
}
