import type { ProvenPromise } from './promise.ts'

export const promisesOfPasswordsKeys: readonly ProvenPromise[] = [
  {
    said: ['are hashed by argon2id (19 MiB, 2 passes, 1 lane'],
    test: {
      file: 'sessions/hashing-defaults',
      name: 'a password is hashed by argon2id with 19 MiB, two passes and one lane',
    },
    broken: [
      {
        file: 'core/src/capabilities/passwords/password-hasher.ts',
        from: 'memoryKiB = 19_456',
        to: 'memoryKiB = 8_192',
      },
    ],
  },
  {
    said: ['At most 128 hashes of one account may queue.'],
    test: {
      file: 'sessions/hashing-defaults',
      name: 'a hundred and twenty-eight hashes of one account wait, and no more',
    },
    broken: [
      {
        file: 'core/src/capabilities/passwords/password-hasher.ts',
        from: 'queueLength = 128',
        to: 'queueLength = 100_000',
      },
    ],
  },
  {
    said: ['Those of its imports wait however many do, 16 at a time.'],
    test: {
      file: 'import/import-turns',
      name: 'sixteen hashes of the imports of an account run or wait at a time',
    },
    broken: [
      {
        file: 'core/src/capabilities/import-export/import-turns.ts',
        from: 'hashesPerAccount = 16',
        to: 'hashesPerAccount = 1_600',
      },
    ],
  },
  {
    said: ['Accounts share the time fairly: each is charged for the time of its hashes'],
    test: {
      file: 'sessions/time-share',
      name: 'tasks that take ten times as long run a tenth as often',
    },
    broken: [{ file: 'core/src/base/runtime/time-share.ts', from: 'share.time += moreMs', to: '' }],
  },
  {
    said: ['Imported hashes of other formats cost 250 ms and 64 MiB at most'],
    test: { file: 'import/hash-limits', name: 'one limit can be raised without the other' },
    broken: [
      {
        file: 'core/src/capabilities/passwords/stored-hashes/hash-cost.ts',
        from: '{ milliseconds: 250, mebibytes: 64 }',
        to: '{ milliseconds: 1_000, mebibytes: 256 }',
      },
    ],
  },
  {
    said: ['At least one hashing slot computes only our own format'],
    test: {
      file: 'sessions/hashing-defaults',
      name: 'hashes above our own cost leave a place to ours',
    },
    broken: [
      {
        file: 'core/src/capabilities/passwords/hash-turns.ts',
        from: 'if (costly >= this.#mostCostly) return false',
        to: '',
      },
    ],
  },
  {
    said: ['only one of the more expensive hashes is computed at a time'],
    test: {
      file: 'sessions/hashing-turns',
      name: 'a hash of seconds delays no hash of another account, whatever its cost',
    },
    broken: [
      {
        file: 'core/src/capabilities/passwords/hash-turns.ts',
        from: ': excessive.running === 0',
        to: ': true',
      },
    ],
  },
  {
    said: ['A wrong e-mail, a wrong password and an inactive user get the same response.'],
    test: {
      file: 'sign-in/same-answers',
      name: 'has one answer for a wrong e-mail, a wrong password and an inactive user',
    },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/log-in.ts',
        from: '  if (found === undefined || !matches || !found.user.isActive) {',
        to: "  if (found !== undefined && matches && !found.user.isActive) throw new ClienteleError('token_user_inactive')\n  if (found === undefined || !matches || !found.user.isActive) {",
      },
    ],
  },
  {
    said: ["are the account's id and 256 random bits"],
    test: { file: 'keys/api-key-text', name: 'has the account, 256 random bits and a checksum' },
    broken: [
      {
        file: 'core/src/base/crypto/account-secret.ts',
        from: 'crypto.randomBytes(32)',
        to: 'crypto.randomBytes(16)',
      },
    ],
  },
  {
    said: ['only the SHA-256 of the whole text is stored'],
    test: {
      file: 'keys/stored-credentials',
      name: 'is stored as a hash: API keys, refresh and e-mail tokens, challenges, recovery codes',
    },
    broken: [
      {
        file: 'core/src/base/crypto/account-secret.ts',
        from: "return crypto.hash('sha256', secret, 'base64url')",
        to: 'return secret',
      },
    ],
  },
  {
    said: ["with another account's id in its text it is an unknown key"],
    test: { file: 'keys/api-key-text', name: 'with another account in it is an unknown key' },
    broken: [
      {
        file: 'core/src/base/crypto/account-secret.ts',
        from: "crypto.hash('sha256', secret, 'base64url')",
        to: "crypto.hash('sha256', secret.slice(-49, -6), 'base64url')",
      },
    ],
  },
  {
    said: ['A key from before, whose text names no account, is looked up across all accounts.'],
    test: { file: 'keys/api-key-text', name: 'may be an older one, without the account' },
    broken: [
      {
        file: 'core/src/base/crypto/account-secret.ts',
        from: '(?:[0-9A-Za-z]{22})?',
        to: '[0-9A-Za-z]{22}',
      },
    ],
  },
  {
    said: ['unknown keys that arrive together share queries'],
    test: { file: 'keys/made-up-keys', name: 'made-up keys that arrive together share statements' },
    broken: [
      {
        file: 'core/src/sql/is-stored.ts',
        from: "loader.load('', text)",
        to: 'loader.load(text, text)',
      },
    ],
  },
  {
    said: ['so do unknown account ids', 'and console links'],
    test: { file: 'keys/made-up-keys', name: 'so do those of made-up accounts' },
    broken: [
      {
        file: 'core/src/sql/is-stored.ts',
        from: "loader.load('', text)",
        to: 'loader.load(text, text)',
      },
    ],
  },
  {
    said: ['also those in tokens that a guard reads'],
    test: { file: 'keys/made-up-keys', name: 'so do those of guards' },
    broken: [
      {
        file: 'core/src/capabilities/tokens/validate-token.ts',
        from: '  if (call === undefined) await assertNamedAccount(services, accountId)\n',
        to: '',
      },
    ],
  },
  {
    said: ['A request that waits for events checks its key again after the wait.'],
    test: {
      file: 'events/wait-of-a-revoked-key',
      name: 'gets nothing more when its key has been revoked',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/routes.ts',
        from: '          readmit,\n',
        to: '',
      },
    ],
  },
  {
    said: [
      'are encrypted by AES-256-GCM under a key derived from `CLIENTELE_SECRET`',
      'A copy of the database without the secret cannot sign.',
    ],
    test: { file: 'keys/key-secrets', name: 'a wrong secret is refused at the start, with advice' },
    broken: [
      {
        file: 'core/src/base/crypto/encryptor.ts',
        from: "hkdfSync('sha256', secret, 'clientele', info, length)",
        to: "hkdfSync('sha256', 'constant', 'clientele', info, length)",
      },
    ],
  },
  {
    said: ['(16 characters at least, 8 of them different)'],
    test: { file: 'keys/key-secrets', name: 'a secret has sixteen characters at least' },
    broken: [
      { file: 'core/src/base/crypto/is-secret.ts', from: '= 16', to: '= 1' },
      { file: 'core/src/base/crypto/is-secret.ts', from: '= 8', to: '= 1' },
    ],
  },
  {
    said: ['Each account has its own signing keys'],
    test: {
      file: 'keys/signing-keys',
      name: "one account's token is invalid in every other account",
    },
    broken: [
      {
        file: 'core/src/capabilities/tokens/access-tokens.ts',
        from: "if (known.aud !== accountId) throw new ClienteleError('token_unknown_key')",
        to: '',
      },
    ],
  },
]
