import type { ProvenPromise } from './promise.ts'

const room = 'core/src/capabilities/sign-in-codes'

export const promisesOfSignInCodes: readonly ProvenPromise[] = [
  {
    said: [
      '**Mailed sign-in codes** open nothing alone: the challenge, which is 256 random bits, stays with the page that asked, and the database has only digests that are keyed by it and by `CLIENTELE_SECRET`.',
    ],
    test: {
      file: 'sign-in/sign-in-codes',
      name: 'stores nothing by which a reader of the database could sign in',
    },
    broken: [
      {
        file: 'core/src/capabilities/mfa/one-time-codes.ts',
        from: 'encryptor.digest(plainCode(code), mailPurposeOf(challenge))',
        to: "encryptor.digest(plainCode(code), 'mailed code')",
      },
    ],
  },
  {
    said: ['A forwarded mail, or a scanner that opens the link, signs nobody in.'],
    test: {
      file: 'sign-in/sign-in-codes',
      name: 'or by the token of the link, with the challenge of the page that asked, and no other',
    },
    broken: [
      {
        file: `${room}/log-in-with-code.ts`,
        from: 'if (!isRight(services, tried, challenge, code) || userId === null) {',
        to: 'if (userId === null) {',
      },
    ],
  },
  {
    said: ['A code has eight digits, five tries and ten minutes'],
    test: { file: 'sign-in/sign-in-codes', name: 'a code has five tries, and ten minutes' },
    broken: [
      { file: `${room}/mail-sign-in-code.ts`, from: 'const tries = 5', to: 'const tries = 6' },
      { file: `${room}/code-life.ts`, from: '= 600', to: '= 601' },
    ],
  },
  {
    said: ['works once, and is void after'],
    test: {
      file: 'sign-in/sign-in-codes',
      name: 'of several uses at once, in two processes, one opens a session',
    },
    broken: [
      {
        file: `${room}/sql.ts`,
        from: '      if (used.length === 0) return undefined\n',
        to: '',
      },
    ],
  },
  {
    said: ['void after the next request for the address'],
    test: { file: 'sign-in/sign-in-codes', name: 'a new request voids the code before' },
    broken: [
      {
        file: `${room}/sql.ts`,
        from: "          hash: of.ref('excluded.hash'),\n",
        to: '',
      },
    ],
  },
  {
    said: [
      'The request gets the same response and the same writes for every address, and the look-up of the user comes after the response',
    ],
    test: {
      file: 'sign-in/sign-in-code-decoys',
      name: 'costs the same statements, before and after the response',
    },
    broken: [
      {
        file: `${room}/mail-sign-in-code.ts`,
        from: 'await repository.signInCodes.assign(accountId, hash, email)',
        to: 'found && (await repository.signInCodes.assign(accountId, hash, email))',
      },
    ],
  },
  {
    said: ['wrong codes count per address, whether a user has it or not'],
    test: {
      file: 'sign-in/sign-in-codes',
      name: 'counts failures and requests per address, apart from passwords',
    },
    broken: [
      {
        file: `${room}/log-in-with-code.ts`,
        from: 'toSignInCodeTarget(found.email)',
        to: 'toSignInCodeTarget(hash)',
      },
    ],
  },
  {
    said: ['After a mailed code, a second code by e-mail is no second factor.'],
    test: {
      file: 'sign-in/sign-in-code-factors',
      name: 'an app is asked for, and no second mail',
    },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/proceed.ts',
        from: 'return factor && isByMail(amr) ? { ...factor, isEmailEnabled: false } : factor',
        to: 'return isByMail(amr) ? factor : factor',
      },
    ],
  },
  {
    said: ['passkey enrolments in progress, mailed sign-in codes'],
    test: { file: 'sign-in/sign-in-codes', name: 'is ended by ' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/revoke-credentials.ts',
        from: '    .set({ user_id: null })\n',
        to: "    .set((of) => ({ user_id: of.ref('user_id') }))\n",
      },
    ],
  },
]
