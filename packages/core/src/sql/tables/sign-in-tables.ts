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

/** The credentials and sessions of users, and the short-lived state of requests. */
export const signInTables = {
  clientele_sessions: {
    erasure: 'with the user',
    key: 'id',
    expires: 'expires_at',
    endsWithPassword: true,
    columns: {
      account_id: id(),
      id: id('pseudonym'),
      user_id: id('pseudonym'),
      amr: json('personal'),
      created_at: time('personal'),
      last_used_at: time('personal'),
      /** When it expires unless it is used */
      expires_at: time('personal'),
      /** When it expires even if it is used */
      ends_at: time(),
      /** With a refresh token, derives its successor */
      successor_seed: text('secret'),
      refresh_token_hash: text('secret'),
      /** The number of the latest refresh token */
      refreshes: counter(),
      refreshed_at: nullable(time()),
      /** The number of refreshes in the window that ends at `window_ends_at` */
      window_refreshes: counter(),
      window_ends_at: time(),
      /** When its user last showed a password or a second factor; null: when it was opened */
      authenticated_at: nullable(time('personal')),
      /** Who acts as the user; null: the user */
      impersonated_by: nullable(text('personal')),
      /** The API key that opened it for the person who acts; null: none did */
      opened_by_key: nullable(id()),
    },
  },
  clientele_passkeys: {
    erasure: 'with the user',
    columns: {
      account_id: id(),
      id: id('pseudonym'),
      user_id: id('pseudonym'),
      credential_id: sortedText('personal'),
      public_key: text('personal'),
      counter: counter('personal'),
      /** The site that the passkey is for */
      rp_id: text(),
      name: text('personal'),
      use: text('personal'),
      /** A JSON array */
      transports: json('personal'),
      is_synced: flag('personal'),
      backed_up: flag('personal'),
      created_at: time('personal'),
      last_used_at: nullable(time('personal')),
    },
  },
  /** Ceremonies that began with a response of options: enrolment or sign-in */
  clientele_passkey_ceremonies: {
    erasure: 'with the user',
    key: 'hash',
    expires: 'expires_at',
    endsWithPassword: true,
    columns: {
      account_id: id(),
      hash: sortedText('secret'),
      purpose: text('personal'),
      /** Null: a sign-in */
      user_id: nullable(id('pseudonym')),
      /** Under the challenge, which no row has: it cannot be encrypted again under a new secret */
      encrypted_email: nullable(text('secret')),
      by_user: flag(),
      /** The session that began an enrolment */
      session_id: nullable(id('pseudonym')),
      expires_at: time(),
    },
  },
  clientele_mfa_factors: {
    erasure: 'with the user',
    key: 'user_id',
    columns: {
      account_id: id(),
      user_id: id('pseudonym'),
      encrypted_totp_secret: nullable(encrypted('totp', 'secret')),
      totp_confirmed_at: nullable(time('personal')),
      /** The time step of the last used code (RFC 6238) */
      totp_last_step: nullable(counter()),
      email_enabled: flag('personal'),
      /** The event of the last change of the factors: a sign-in during which they change remembers no device */
      changed_by: nullable(id()),
    },
  },
  clientele_recovery_codes: {
    erasure: 'with the user',
    columns: { account_id: id(), user_id: id('pseudonym'), hash: sortedText('secret') },
  },
  /** On which users sign in without a second factor */
  clientele_devices: {
    erasure: 'with the user',
    key: 'id',
    expires: 'expires_at',
    endsWithPassword: true,
    columns: {
      account_id: id(),
      id: id('pseudonym'),
      user_id: id('pseudonym'),
      name: nullable(text('personal')),
      created_at: time('personal'),
      last_used_at: time('personal'),
      expires_at: time('personal'),
      /** With a device's token, derives its successor */
      successor_seed: text('secret'),
      token_hash: text('secret'),
    },
  },
  /** Users' own tokens, for programs that act for them */
  clientele_user_tokens: {
    erasure: 'with the user',
    key: 'id',
    expires: 'kept_until',
    columns: {
      account_id: id(),
      id: id('pseudonym'),
      user_id: id('pseudonym'),
      name: text('personal'),
      /** A JSON array */
      scopes: text('personal'),
      prefix: text('personal'),
      hash: sortedText('secret'),
      created_at: time('personal'),
      expires_at: nullable(time('personal')),
      revoked_at: nullable(time('personal')),
      last_used_at: nullable(time('personal')),
      /** Until then an expired or revoked token is told apart from an unknown one; null: it has no end */
      kept_until: nullable(time()),
      /** When another password last ended the JWTs that it was exchanged for; null: never */
      jwts_not_before: nullable(time()),
    },
  },
  /** Sign-ins that wait for an MFA factor */
  clientele_challenges: {
    erasure: 'with the user',
    key: 'hash',
    expires: 'expires_at',
    endsWithPassword: true,
    columns: {
      account_id: id(),
      hash: sortedText('secret'),
      user_id: id('pseudonym'),
      /** The authentication methods so far (RFC 8176) */
      amr: json('personal'),
      password_hash: nullable(text('secret')),
      tries_left: counter(),
      mails_left: counter(),
      email_code_hash: nullable(text('secret')),
      /** The address that the code was sent to */
      mailed_to: nullable(text('personal')),
      expires_at: time(),
    },
  },
  clientele_email_tokens: {
    erasure: 'with the user',
    key: 'hash',
    expires: 'expires_at',
    endsWithPassword: true,
    columns: {
      account_id: id(),
      hash: sortedText('secret'),
      user_id: id('pseudonym'),
      purpose: text('personal'),
      email: text('personal'),
      expires_at: time('personal'),
    },
  },
  /** Changes of addresses that their users have asked for, by the token that takes them back */
  clientele_email_changes: {
    erasure: 'with the user',
    key: 'hash',
    expires: 'expires_at',
    columns: {
      account_id: id(),
      hash: sortedText('secret'),
      user_id: id('pseudonym'),
      /** The address before the change, which the token was mailed to */
      email: text('personal'),
      /** Of the token that was mailed to the new address: a row of `clientele_email_tokens`, until it is confirmed */
      confirm_hash: sortedText('secret'),
      /** The version that the user got by the change; null: it is not confirmed */
      confirmed_version: nullable(counter()),
      expires_at: time('personal'),
    },
  },
  /** Mailed codes that sign in. Rows without a user are for addresses that no active user had: nothing was mailed. */
  clientele_sign_in_codes: {
    erasure: 'with the user',
    key: 'email',
    expires: 'expires_at',
    endsWithPassword: true,
    columns: {
      account_id: id(),
      email: sortedText('personal'),
      /** Of the challenge */
      hash: sortedText('secret'),
      user_id: nullable(id('pseudonym')),
      code_hash: text('secret'),
      token_hash: text('secret'),
      tries_left: counter(),
      expires_at: time(),
    },
  },
  /** The digest of a token's id or of the whole token; it identifies no user */
  clientele_used_id_tokens: {
    erasure: 'none',
    key: 'digest',
    expires: 'expires_at',
    columns: { account_id: id(), digest: sortedText(), expires_at: time() },
  },
  /** The responses to requests with an `Idempotency-Key` */
  clientele_replies: {
    erasure: 'by name',
    key: 'key',
    within: 'operation',
    expires: 'expires_at',
    columns: {
      account_id: id(),
      operation: sortedText(),
      key: sortedText(),
      /** Keyed digest of the request's input */
      digest: text('secret'),
      answer: text('personal'),
      /** The user that the response is about */
      user_id: nullable(id('pseudonym')),
      expires_at: time(),
    },
  },
  clientele_rate_limits: {
    erasure: 'by name',
    retained:
      'Failed attempts from a network are counted under a digest of the target and the network, until their window ends.',
    key: 'key',
    expires: 'expires_at',
    columns: {
      account_id: id(),
      key: sortedText('personal'),
      points: counter(),
      expires_at: time(),
    },
  },
} as const satisfies Record<string, Table>
