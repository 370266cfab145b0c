import type { ProvenPromise } from './promise.ts'

export const promisesOfSignIn: readonly ProvenPromise[] = [
  {
    said: [
      "**An account's policy** refuses a way to sign in before the password or the token is looked at: the answer is the same for every e-mail address.",
    ],
    test: { file: 'accounts/policy', name: 'is obeyed by the next sign-in of every process' },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/log-in.ts',
        from: "  assertMethodAllowed(policy.rules, 'password')\n",
        to: '',
      },
    ],
  },
  {
    said: [
      'a sign-in that is under way while the policy changes opens no session that the new policy refuses',
    ],
    test: {
      file: 'accounts/policy-races',
      name: 'opens no session that it does not allow once it is set',
    },
    broken: [
      {
        file: 'core/src/capabilities/sessions/sql/create-session.ts',
        from: "            .where('a.policy', 'is not distinct from', value('policy'))\n",
        to: '',
      },
    ],
  },
  {
    said: [
      '**A password that has expired** opens no session: its right text, and the second factor where there is one, only permit to choose another.',
      'The mark is part of the stored text that each sign-in compares, so a sign-in that began before it opens none either.',
    ],
    test: { file: 'sign-in/expired-password', name: 'opens no session' },
    broken: [
      {
        file: 'core/src/capabilities/passwords/expired-hash.ts',
        from: "  return stored !== null && amr.includes('pwd') && isExpiredHash(stored)\n",
        to: '  return false\n',
      },
    ],
  },
  {
    said: ['A session that goes on does not accept it as shown again.'],
    test: { file: 'sign-in/expired-password', name: 'asks for another at the next sign-in' },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/reauthenticate.ts',
        from: "if (mustChangePassword(['pwd'], stored)) {",
        to: 'if (false) {',
      },
    ],
  },
  {
    said: ['The sign-in refuses the old password as the new one.'],
    test: { file: 'sign-in/expired-password', name: 'is not chosen again' },
    broken: [
      {
        file: 'core/src/capabilities/expired-passwords/change-expired-password.ts',
        from: 'if (await passwords.verify(accountId, expiredHash, password, userId)) {',
        to: 'if (false) {',
      },
    ],
  },
  {
    said: [
      "**A user's own tokens** (`cut_…`) are made as API keys are: only the SHA-256 of one is stored, and it is looked up in the account that validates it.",
    ],
    test: { file: 'user-tokens/user-tokens', name: 'is refused by a code' },
    broken: [
      {
        file: 'core/src/capabilities/tokens/validate-token.ts',
        from: 'const accountId = call?.accountId ?? readAccountId(read)',
        to: 'const accountId = readAccountId(read)',
      },
    ],
  },
  {
    said: [
      'They show no sign-in: none passes a guard with `maxAge` or `amr`, and none enrols a passkey.',
    ],
    test: { file: 'user-tokens/user-tokens', name: 'enrols no passkey, nor does its JWT' },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/begin-enrolment.ts',
        from: 'checked.trustedIssuerId !== null || checked.userToken !== undefined',
        to: 'checked.trustedIssuerId !== null',
      },
    ],
  },
  {
    said: ['A guard with `scopes` refuses every token that lacks one, also that of a sign-in.'],
    test: { file: 'http/guard-scopes', name: 'with scopes only one that has all of them' },
    broken: [
      {
        file: 'core/src/base/input/scope-text.ts',
        from: 'wanted.every(',
        to: 'wanted.some(',
      },
    ],
  },
  {
    said: [
      'They live through a new password, unless it is told to end them, and end with a deactivation for good, with a deletion, and with the first proof of an address.',
    ],
    test: { file: 'user-tokens/user-tokens', name: 'ends with a deactivation, for good' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/revoke-credentials.ts',
        from: '[...endRows, endUserTokens(db, { unlessActive: !endsTokens })]',
        to: 'endRows',
      },
    ],
  },
  {
    said: ['The JWT that one is exchanged for lives ten minutes at most, and ends with it.'],
    test: { file: 'user-tokens/user-tokens', name: 'is exchanged for a JWT with its scopes' },
    broken: [
      {
        file: 'core/src/capabilities/tokens/exchanged-token.ts',
        from: 'userToken?.revokedAt !== null || ',
        to: '',
      },
    ],
  },
  {
    said: [
      "**A remembered device** (off unless an account's policy allows it) spares the second factor, never the password.",
      'Its token works once, and is looked at only after a right password.',
      'If a used token comes again, the device ends, and an event says so: whoever copied a token is shut out with its owner.',
    ],
    test: { file: 'mfa/devices', name: 'ends when a used token comes again' },
    broken: [
      {
        file: 'core/src/capabilities/devices/use-device.ts',
        from: '  await endCopied(services, call, userId, deviceId)\n',
        to: '',
      },
    ],
  },
  {
    said: ['Devices end with a new password, a deactivation, the first proof of an address,'],
    test: { file: 'mfa/devices', name: 'another second factor' },
    broken: [
      {
        file: 'core/src/capabilities/mfa/sql/mfa-store.ts',
        from: '    [deleteDevices(db), deleteChallenges(db), recordEvent(db)],',
        to: '    [deleteChallenges(db), recordEvent(db)],',
      },
    ],
  },
  {
    said: ['Recovery codes end with the last second factor.'],
    test: { file: 'mfa/leftover-codes', name: 'end with it' },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/sql/passkey-store.ts',
        from: 'deleteLeftoverCodes, noteChange',
        to: 'noteChange',
      },
    ],
  },
  {
    said: ['A sign-in during which the factors change remembers no device.'],
    test: {
      file: 'mfa/devices-meanwhile',
      name: 'does not begin where the factors change once its session is open',
    },
    broken: [
      {
        file: 'core/src/capabilities/devices/sql.ts',
        from: '      if (factors !== undefined && !(yield* hasFactorsStill(key, factors))) return undefined\n',
        to: '',
      },
    ],
  },
  {
    said: ['and any change of the second factors.'],
    test: {
      file: 'mfa/devices',
      name: 'an app that is enrolled on the way in beside codes by mail',
    },
    broken: [
      {
        file: 'core/src/capabilities/mfa/sql/enrol-by-challenge.ts',
        from: 'insertCodes(db), deleteDevices(db), deleteChallenges(db)]',
        to: 'insertCodes(db), deleteChallenges(db)]',
      },
    ],
  },
  {
    said: [
      'a user without one enrols it on the way in: the factor, its recovery codes and its event are written when its first code is right, before there is a session',
    ],
    test: {
      file: 'mfa/enrol-to-log-in',
      name: 'leaves no half when the database fails between the factor and its event',
    },
    broken: [
      {
        file: 'core/src/capabilities/mfa/sql/enrol-by-challenge.ts',
        from: '[deleteCodes(db), insertCodes(db), deleteDevices(db), deleteChallenges(db)]',
        to: '[deleteCodes(db)]',
      },
    ],
  },
  {
    said: ['With the password alone, nobody adds a factor beside one that the user has'],
    test: {
      file: 'mfa/enrol-to-log-in',
      name: 'is not enrolled by the password alone beside a factor that the user has',
    },
    broken: [
      {
        file: 'core/src/capabilities/mfa/enrol-to-log-in.ts',
        from: "  if (hasFactor) throw new ClienteleError('two_factor_already_enrolled')\n",
        to: '',
      },
    ],
  },
  {
    said: ['is a mailed token, of which only a hash is stored'],
    test: {
      file: 'keys/stored-credentials',
      name: 'is stored as a hash: API keys, refresh and e-mail tokens, challenges, recovery codes',
    },
    broken: [
      {
        file: 'core/src/capabilities/invitations/invitation-mail.ts',
        from: 'invitation: { hash: hashOpaqueToken(token), expiresAt }',
        to: 'invitation: { hash: token, expiresAt }',
      },
    ],
  },
  {
    said: ['It is accepted once, also when two processes are asked at once'],
    test: { file: 'invitations/invitations', name: 'it is accepted once, by one of two processes' },
    broken: [
      {
        file: 'core/src/capabilities/invitations/sql.ts',
        from: ' || holder.passwordHash !== null) return undefined',
        to: ') return undefined',
      },
      {
        file: 'core/src/capabilities/invitations/sql.ts',
        from: '      if (taken === undefined) return undefined\n',
        to: '',
      },
      {
        file: 'core/src/capabilities/invitations/sql.ts',
        from: "of('password_hash', 'is', null)",
        to: "of('account_id', '=', of.ref('account_id'))",
      },
    ],
  },
  {
    said: ['It works only for the address that it was mailed to'],
    test: {
      file: 'invitations/invitations',
      name: 'it ends with a password set otherwise, with deactivation, deletion and erasure',
    },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/address-proof.ts',
        from: "      .where('u.email', '=', value('email'))\n",
        to: '',
      },
      {
        file: 'core/src/capabilities/users/sql/user-replacements.ts',
        from: 'dropVerified, dropMailed)',
        to: 'dropVerified)',
      },
    ],
  },
  {
    said: [
      'It ends with the next invitation, with a change of the address, even one that is taken back',
    ],
    test: {
      file: 'invitations/invitations',
      name: 'an address that was given up and taken back voids it',
    },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/user-replacements.ts',
        from: 'dropVerified, dropMailed)',
        to: 'dropVerified)',
      },
    ],
  },
  {
    said: ['with a change of the address, even one that is taken back'],
    test: {
      file: 'repository/repository',
      titleIn: 'repository/address-races',
      name: 'an invitation does not work when the address is taken back',
    },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/user-replacements.ts',
        from: ' || !keepsEmail\n',
        to: '\n',
      },
    ],
  },
  {
    said: ['Until it is accepted, no password signs the user in'],
    test: {
      file: 'invitations/invitations',
      name: 'a user is created with two events, and accepts with a password that only they know',
    },
    broken: [
      {
        file: 'core/src/capabilities/invitations/sql.ts',
        from: '{ ...user, passwordHash: null }',
        to: "{ ...user, passwordHash: '$2b$04$E8qMBVGIUyqmGYO5G/0yQ.0AkZV2FPlrpgJRd4vtXuR3T9L0H7oCC' }",
      },
    ],
  },
  {
    said: ['always ends the same things: every session (except one to keep)'],
    test: { file: 'mfa/revoked-credentials', name: 'ends all of them' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/revoke-credentials.ts',
        from: "'endsWithPassword' in tables[table],",
        to: "'endsWithPassword' in tables[table] && table !== 'clientele_email_tokens',",
      },
    ],
  },
  {
    said: ['ends everything that a stranger may have attached to it before'],
    test: { file: 'mfa/first-proof', name: 'ends all that was enrolled before, with events' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/address-proof.ts',
        from: 'const passkeys = yield* run(deletePasskeys, key)',
        to: 'const passkeys: { id: string }[] = []',
      },
    ],
  },
  {
    said: ['in one transaction, each with its event'],
    test: { file: 'mfa/first-proof', name: 'ends all that was enrolled before, with events' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/address-proof.ts',
        from: '    yield* append(accountId, ended)\n',
        to: '',
      },
    ],
  },
  {
    said: ['A verification keeps the password'],
    test: { file: 'mfa/first-proof', name: 'ends all that was enrolled before, with events' },
    broken: [
      {
        file: 'core/src/capabilities/email-tokens/sql.ts',
        from: 'if (isFirst) yield* proof.endSignIns(key, now)',
        to: '',
      },
    ],
  },
  {
    said: ['After a change of address, the next proof counts as a first one again'],
    test: { file: 'mfa/first-proof', name: 'of a changed address is a first proof again' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/verified-emails.ts',
        from: ".onRef('u.email', '=', 'v.email'),",
        to: ',',
      },
      {
        file: 'core/src/capabilities/users/sql/user-effects.ts',
        from: "      .where('email', '<>', value('email'))\n",
        to: "      .where('email', '<>', value('email'))\n      .where('email', '=', '')\n",
      },
    ],
  },
  {
    said: ['a mailed code and an ID token remove the password'],
    test: {
      file: 'sign-in/id-token-users',
      name: 'the registrant of an unverified address loses access once its owner signs in',
    },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/address-proof.ts',
        from: '          password_hash: null,\n',
        to: '',
      },
    ],
  },
  {
    said: [
      'no session exists before the second factor is proved',
      'each company has users who sign in: with a password, a passkey, a second factor',
    ],
    test: {
      file: 'mfa/mfa',
      name: 'an app is enrolled and confirmed; then a sign-in needs its code',
    },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/proceed.ts',
        from: 'if (isEnrolled(asked))',
        to: 'if (isEnrolled(asked) && asked === undefined)',
      },
    ],
  },
  {
    said: ['A challenge has five tries and five minutes'],
    test: { file: 'mfa/challenges', name: 'a challenge has five tries and five minutes' },
    broken: [
      {
        file: 'core/src/capabilities/mfa/challenge-user.ts',
        from: 'const tries = 5',
        to: 'const tries = 9',
      },
    ],
  },
  {
    said: ['It also ends when a passkey or an identity of the user is taken away,'],
    test: { file: 'mfa/waiting-sign-ins', name: 'an identity that is unlinked' },
    broken: [
      {
        file: 'core/src/capabilities/identities/sql/identity-store.ts',
        from: '      yield* run(endChallenges, { accountId, userId })\n',
        to: '',
      },
    ],
  },
  {
    said: ['the second factors or the address change,'],
    test: { file: 'mfa/waiting-sign-ins', name: 'another address' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/user-replacements.ts',
        from: 'follow.push(endSignInCodes(db), endChallenges(db))',
        to: 'follow.push(endSignInCodes(db))',
      },
    ],
  },
  {
    said: ['or all sessions or devices are ended.'],
    test: { file: 'mfa/waiting-sign-ins', name: 'the end of all' },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/delete-all-of-user.ts',
        from: '        yield* run(endChallenges, key)\n',
        to: '',
      },
    ],
  },
  {
    said: ['Only their hashes are stored'],
    test: {
      file: 'keys/stored-credentials',
      name: 'is stored as a hash: API keys, refresh and e-mail tokens, challenges, recovery codes',
    },
    broken: [
      {
        file: 'core/src/base/crypto/opaque-token.ts',
        from: "createHash('sha256').update(token).digest('base64url')",
        to: 'token',
      },
    ],
  },
  {
    said: ['TOTP secrets are stored encrypted'],
    test: { file: 'keys/stored-credentials', name: 'is encrypted if it is the secret of an app' },
    broken: [
      {
        file: 'core/src/capabilities/mfa/totp-factor.ts',
        from: "const encrypted = encryptor.encrypt(secret, purposeOf('totp', accountId, userId))",
        to: "const encrypted = encryptor === undefined ? purposeOf('totp', accountId, userId) : secret",
      },
    ],
  },
  {
    said: ["The session's id, which every access token contains, is not enough to end it."],
    test: {
      file: 'sessions/refresh',
      name: 'the id of a session alone does not suffice to end it',
    },
    broken: [
      {
        file: 'core/src/capabilities/sessions/refresh-session.ts',
        from: 'token.position < refreshes && isMacValid(token, successorSeed)',
        to: 'token.position < refreshes && (isMacValid(token, successorSeed) || true)',
      },
    ],
  },
  {
    said: ['are limited by account and e-mail, and by client address if the host provides it'],
    test: {
      file: 'sessions/login-throttle',
      name: 'an attacker at another address does not lock the user out',
    },
    broken: [
      {
        file: 'core/src/capabilities/rate-limits/login-throttle.ts',
        from: 'if (clientAddress === undefined) return',
        to: 'if (clientAddress !== null) return',
      },
    ],
  },
  {
    said: [
      'Failed sign-ins do not keep a user who is signed in from showing the password or a code again',
    ],
    test: { file: 'sessions/login-throttle', name: 'strangers who fail do not keep a user' },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/reauthenticate.ts',
        from: 'target: toReauthenticationTarget(user.id) }',
        to: 'target: user.id }',
      },
    ],
  },
  {
    said: ['Refused attempts do not lengthen the pause.'],
    test: {
      file: 'sessions/login-throttle',
      name: 'several processes share one count, and it ends when its window does',
    },
    broken: [
      {
        file: 'core/src/capabilities/rate-limits/sql.ts',
        from: 'clientele_rate_limits.expires_at end`',
        to: 'excluded.expires_at end`',
      },
      {
        file: 'core/src/capabilities/sign-in/log-in.ts',
        from: "  await loginThrottle.check('login', attempt)\n  const stored",
        to: "  await loginThrottle.fail('login', attempt)\n  const stored",
      },
    ],
  },
  {
    said: ['A password reset ends the pause for sign-ins'],
    test: {
      file: 'mfa/email-tokens',
      name: 'a reset admits a user whom attackers have locked out',
    },
    broken: [
      {
        file: 'core/src/capabilities/email-tokens/reset-password.ts',
        from: "    loginThrottle.succeed('login', { accountId, target: userId, clientAddress }),\n",
        to: '',
      },
    ],
  },
  {
    said: ['Simultaneous attempts are counted before they are checked.'],
    test: {
      file: 'sessions/login-throttle',
      name: 'of forty simultaneous attempts, no correct one succeeds beyond the limit',
    },
    broken: [
      {
        file: 'core/src/capabilities/rate-limits/login-throttle.ts',
        from: 'counter.penalty(key).then((counted) => refuseOver(kind, limit, 0, counted))',
        to: 'counter.penalty(key).then(() => {})',
      },
      {
        file: 'core/src/capabilities/sign-in/log-in.ts',
        from: "    loginThrottle.check('login', attempt),\n    repository",
        to: '    Promise.resolve(true),\n    repository',
      },
    ],
  },
  {
    said: ['an unknown e-mail causes as many writes as a known one'],
    test: {
      file: 'events/equal-writes',
      name: 'are as many if there is no user: a requested reset',
    },
    broken: [
      {
        file: 'core/src/capabilities/email-tokens/request-email-token.ts',
        from: "await repository.rateLimits.add(accountId, 'unwritten-token', 1, now, expiresAt)",
        to: '',
      },
    ],
  },
  {
    said: [
      '**An impersonation** needs the scope `users:impersonate`, which no API key has unless it is named.',
    ],
    test: {
      file: 'http/conformance',
      name: 'impersonation: a key without the scope',
      titleIn: 'http/cases/impersonation',
    },
    broken: [
      {
        file: 'core/src/capabilities/api-keys/api-key.ts',
        from: '.default([...defaultScopes])',
        to: '.default([...scopes])',
      },
    ],
  },
  {
    said: ['Its token names who acts in the claim `act`, and ends after an hour at most.'],
    test: { file: 'sessions/impersonation', name: 'takes one line each as actor and reason' },
    broken: [
      {
        file: 'core/src/capabilities/impersonation/impersonate-user.ts',
        from: '    .max(maxImpersonationSeconds)\n',
        to: '',
      },
    ],
  },
  {
    said: [
      'It has no refresh token, passes no guard that asks for a recent sign-in or a method, and enrols no passkey.',
    ],
    test: { file: 'http/guard-step-up', name: 'admits a person who acts as the user' },
    broken: [
      {
        file: 'core/src/base/jwt/authentication-claims.ts',
        from: '  if (act !== undefined) return { auth_time: 0, amr: [], act }\n',
        to: '',
      },
      {
        file: 'core/src/capabilities/impersonation/impersonate-user.ts',
        from: 'authenticatedAt: 0',
        to: 'authenticatedAt: createdAt',
      },
    ],
  },
  {
    said: [
      "It ends when the API key that opened it is revoked; of a key that acts as more than fifty users, the first fifty in the revocation's transaction, the others after it (a revocation that is interrupted is to be repeated).",
    ],
    test: {
      file: 'sessions/impersonation',
      name: 'ends when the API key that opened it is revoked',
    },
    broken: [
      {
        file: 'core/src/capabilities/api-keys/sql/end-impersonations.ts',
        from: 'of yield* run(selectUsers, ofKey)) {',
        to: 'of (yield* run(selectUsers, ofKey)).slice(1)) {',
      },
    ],
  },
  {
    said: ['The caller chooses the name of the actor, so the event has the API key beside it.'],
    test: { file: 'sessions/impersonation', name: 'is a session of the user in which' },
    broken: [
      {
        file: 'core/src/capabilities/impersonation/impersonate-user.ts',
        from: "newEvent(services, call, 'user.impersonated'",
        to: "newEvent(services, { ...call, actor: { type: 'user', id: userId } }, 'user.impersonated'",
      },
    ],
  },
  {
    said: [
      'is a text for them, such as the token of a solved CAPTCHA: 1 to 4,096 visible characters of ASCII, with spaces between them. In another form it is 400 `header_invalid`.',
    ],
    test: {
      file: 'http/conformance',
      name: 'hooks: what is sent along for them',
      titleIn: 'http/cases/hooks',
    },
    broken: [
      {
        file: 'core/src/http/hook-context.ts',
        from: '  if (text === undefined || isHookContext(text)) return text\n',
        to: '  if (text === undefined || isHookContext(text) || text !== "") return text\n',
      },
    ],
  },
]
