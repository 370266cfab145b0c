import type { ProvenPromise } from './promise.ts'

export const promisesOfPasskeys: readonly ProvenPromise[] = [
  {
    said: [
      'A sign-in with an unknown passkey is verified, counted and refused as one with a known passkey is',
    ],
    test: {
      file: 'passkeys/passkeys',
      name: 'ids of passkeys that nobody has are refused, and counted, as known ones, which sign in all the same',
    },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/log-in-with-passkey.ts',
        from: "    await loginThrottle.take('login', attemptOf(call, asked, response.id))\n",
        to: "    if (holder !== undefined) await loginThrottle.take('login', attemptOf(call, asked, response.id))\n",
      },
    ],
  },
  {
    said: ['a challenge is valid for one attempt within five minutes'],
    test: {
      file: 'passkeys/passkeys',
      name: 'if one response is used sixteen times at once, one sign-in succeeds',
    },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/sql/ceremony-queries.ts',
        from: "      .deleteFrom('clientele_passkey_ceremonies')\n",
        to: "      .updateTable('clientele_passkey_ceremonies')\n      .set({ hash: value('hash') })\n",
      },
    ],
  },
  {
    said: ['for one purpose, account and user'],
    test: {
      file: 'http/conformance',
      name: 'passkeys: a ceremony is valid for its',
      titleIn: 'http/cases/passkeys',
    },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/sql/ceremony-queries.ts',
        from: "      .where('purpose', 'in', (of) =>\n        of.selectFrom(db.features.textsOfJsonArray(value('purposes')).as('p')).select('p.value'),\n      )\n",
        to: '',
      },
    ],
  },
  {
    said: ["An enrolment that began with a user's token ends with the session of that token"],
    test: { file: 'passkeys/ended-sessions', name: 'ends with it' },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/enrol-passkey.ts',
        from: 'const session = sessionId === null ? undefined : { id: sessionId, now }',
        to: 'const session = undefined',
      },
    ],
  },
  {
    said: ['A token of another issuer enrols none.'],
    test: { file: 'passkeys/other-issuers', name: 'is of a sign-in here, not of another issuer' },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/begin-enrolment.ts',
        from: 'checked.trustedIssuerId !== null || checked.userToken !== undefined',
        to: 'checked.userToken !== undefined',
      },
    ],
  },
  {
    said: ["The origin must be in the account's settings; it is never taken from the request."],
    test: {
      file: 'passkeys/passkeys',
      name: "pages of another site enrol and use nothing; pages of the account's site do both",
    },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/verify-response.ts',
        from: '      expectedOrigin: settings.origins,\n      expectedTopOrigin',
        to: "      expectedOrigin: [JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()).origin],\n      expectedTopOrigin",
      },
      {
        file: 'core/src/capabilities/passkeys/verify-response.ts',
        from: '      expectedOrigin: settings.origins,\n      expectedRPID',
        to: "      expectedOrigin: [JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()).origin],\n      expectedRPID",
      },
    ],
  },
  {
    said: ['As a first factor, the authenticator must have verified the user.'],
    test: { file: 'passkeys/published-responses', name: 'whose user was not verified' },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/verify-response.ts',
        from: '      requireUserVerification,\n      credential',
        to: '      requireUserVerification: requireUserVerification === undefined,\n      credential',
      },
    ],
  },
  {
    said: ['Attestation is not read: no foreign certificate is parsed'],
    test: { file: 'passkeys/passkeys', name: "an authenticator's attestation is not read" },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/verify-response.ts',
        from: 'clientDataJSON: response.response.clientDataJSON, attestationObject }',
        to: 'clientDataJSON: response.response.clientDataJSON, attestationObject: response.response.attestationObject }',
      },
    ],
  },
  {
    said: ['An attestation has at most 12 KiB, 16 levels and 200 values'],
    test: { file: 'passkeys/costly-responses', name: 'are not parsed by the thousand' },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/verify-response.ts',
        from: 'if (splitCbor(given, cborLimits) === undefined) return undefined',
        to: '',
      },
    ],
  },
  {
    said: ['Options for an unknown e-mail name made-up passkeys'],
    test: {
      file: 'passkeys/passkeys',
      name: 'decoy passkeys change with the site and have the form of real ones',
    },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/begin-log-in.ts',
        from: 'known.length > 0 ? known : decoys',
        to: 'known.length > 0 ? known : decoys.slice(0, 0)',
      },
    ],
  },
  {
    said: [
      'What is stored of such a sign-in does not depend on whether the e-mail has a user',
      'requests for options end no challenge of others',
    ],
    test: {
      file: 'sign-in/strangers-requests',
      name: 'learns from no challenge whether the e-mail has a user, whatever the user does meanwhile',
    },
    broken: [
      {
        file: 'core/src/capabilities/passkeys/begin-log-in.ts',
        from: '    userId: null,\n',
        to: '    userId:\n      (email && (await services.repository.users.findCredentials(call.accountId, email))?.user.id) ||\n      null,\n',
      },
    ],
  },
]
