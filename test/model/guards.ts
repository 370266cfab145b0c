/** A guard of core, and how it is switched off in the built program. */
export interface Guard {
  name: string
  /** The name of the theme that misses it */
  theme: 'users, and requests with a key' | 'sessions and refresh tokens' | 'second factors'
  /** Texts of the program, each with what is put in its place */
  changes: readonly (readonly [from: string | RegExp, to: string])[]
  /** Whether the tables are made without it, too */
  isInTables?: true
}

const users = 'users, and requests with a key'
const sessions = 'sessions and refresh tokens'
const factors = 'second factors'

// A session and a challenge are each opened with them.
const unchangedPassword =
  /(?<=\.where\("is_active", "=", true\))\.where\("password_hash", "is not distinct from", value\("passwordHash"\)\)/g
const sinceSignIn = /coalesce\(\$\{db\.typed\(given, "time"\)\}, tokens_not_before\)/
const ofVersion = '.where(hasVersion(value("expectedVersion")))'

const deletion =
  '.deleteFrom("clientele_users").where("account_id", "=", value("accountId")).where("id", "=", value("userId"))'

export const guards: readonly Guard[] = [
  {
    name: 'If-Match is compared with the version that is read',
    theme: users,
    changes: [
      ['if (expectedVersion !== null && before.version !== expectedVersion)', 'if (false)'],
    ],
  },
  {
    name: 'the statement of a replacement compares the version',
    theme: users,
    changes: [[`${ofVersion}.returning(writtenUserColumns)`, '.returning(writtenUserColumns)']],
  },
  {
    name: 'the statement of a deletion compares the version',
    theme: users,
    changes: [[`${deletion}${ofVersion}`, deletion]],
  },
  {
    name: 'an address belongs to one user',
    theme: users,
    isInTables: true,
    changes: [
      [
        'createIndex("clientele_users_by_email").unique()',
        'createIndex("clientele_users_by_email")',
      ],
      [
        '.columns(["account_id", "email"]).doNothing()',
        '.columns(["account_id", "id"]).doNothing()',
      ],
    ],
  },
  {
    name: 'an address has one spelling',
    theme: users,
    changes: [['text.trim().normalize("NFC").toLowerCase()', 'text.trim().normalize("NFC")']],
  },
  {
    name: 'a key is looked up',
    theme: users,
    changes: [['if (kept === void 0) return void 0;', 'return void 0;']],
  },
  {
    name: 'a key belongs to one request',
    theme: users,
    changes: [['if (!encryptor.isDigestOf(kept.digest, content, purpose))', 'if (false)']],
  },
  {
    name: 'a key is kept for a day',
    theme: users,
    changes: [
      [
        '.where("key", "=", value("key")).where("expires_at", ">", value("now"))',
        '.where("key", "=", value("key"))',
      ],
    ],
  },
  {
    name: 'a new user has an event',
    theme: users,
    changes: [
      ['[addRoles, addWords, noteCount(1), recordEvent(db)]', '[addRoles, addWords, noteCount(1)]'],
    ],
  },
  {
    name: 'a replacement has an event',
    theme: users,
    changes: [['follow.push(recordEvent(db, { person: "changed" }))', '']],
  },
  {
    name: 'the second use of a refresh token ends its session',
    theme: sessions,
    changes: [['if (wasGiven) {', 'if (false) {']],
  },
  {
    name: 'the second use of a refresh token is soon',
    theme: sessions,
    changes: [['age <= refreshReuseSeconds * 1e3', 'true']],
  },
  {
    name: 'the statement of a refresh compares the token',
    theme: sessions,
    changes: [['.where("refresh_token_hash", "=", value("hash"))', '']],
  },
  {
    name: 'a token that was verified before expires',
    theme: sessions,
    changes: [['.exp <= Math.floor(this.#options.clock() / 1e3)', '.exp < 0']],
  },
  {
    name: 'sessions end with the password',
    theme: sessions,
    changes: [['if (revokes) follow.push(...revokeCredentials(db, { endsTokens }));', '']],
  },
  {
    name: 'no session is opened with a password that was just changed',
    theme: sessions,
    changes: [
      [unchangedPassword, ''],
      [sinceSignIn, 'tokens_not_before'],
    ],
  },
  {
    name: 'a recovery code is used once',
    theme: factors,
    changes: [
      [
        /queries\.deleteFrom\("clientele_recovery_codes"\)([^\n]+\.where\("hash", "=", value\("hash"\)\)[^\n]*)\.returning\(/,
        'queries.selectFrom("clientele_recovery_codes")$1.select(',
      ],
    ],
  },
  {
    name: 'the code of an app is used once',
    theme: factors,
    changes: [['of("totp_last_step", "<", value("step"))', 'of("totp_last_step", ">", 0)']],
  },
  {
    name: 'a challenge is answered once',
    theme: factors,
    changes: [['await repository.mfa.answerChallenge(accountId, hash', 'true || (accountId']],
  },
  {
    name: 'a challenge expires',
    theme: factors,
    changes: [
      [
        /\.where\("expires_at", ">", value\("now"\)\)(?=\.where\("expires_at", "<=", value\("latest"\)\)\.where\("(?:tries|mails)_left")/g,
        '',
      ],
    ],
  },
  {
    name: 'a challenge ends with the password',
    theme: factors,
    changes: [
      [unchangedPassword, ''],
      [sinceSignIn, 'tokens_not_before'],
    ],
  },
]
