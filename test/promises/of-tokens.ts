import type { ProvenPromise } from './promise.ts'

export const promisesOfTokens: readonly ProvenPromise[] = [
  {
    said: ['are accepted only with the algorithm of their key'],
    test: {
      file: 'keys/rfc-8725',
      name: '2.1, 3.1: a key of the issuer verifies nothing by an algorithm that is not allowed',
    },
    broken: [
      {
        file: 'core/src/capabilities/trusted-issuers/trusted-issuers.ts',
        from: "if (!issuer.algorithms.some((name) => isSameAlgorithm(name, alg)))\n      throw new ClienteleError('token_unknown_key')",
        to: '',
      },
    ],
  },
  {
    said: [
      'are verified with the keys of an issuer that the account trusts, never with keys that the token names',
    ],
    test: {
      file: 'keys/rfc-8725',
      name: '3.10: keys that the token brings along, or points to, are not used',
    },
    broken: [
      {
        file: 'core/src/capabilities/trusted-issuers/trusted-issuers.ts',
        from: 'const keys = await this.#keySources.find(accountId, issuer, alg, kid)',
        to: "const named = JSON.parse(Buffer.from(token.text.split('.')[0] ?? '', 'base64url').toString()).jwk\n    const keys = named ? [await importJWK(named, alg)] : await this.#keySources.find(accountId, issuer, alg, kid)",
      },
    ],
  },
  {
    said: ['They must expire, within a day of their issue unless'],
    test: {
      file: 'keys/trusted-issuers',
      name: 'a token lives for a day at most, or as long as the issuer may give it',
    },
    broken: [
      {
        file: 'core/src/capabilities/trusted-issuers/trusted-issuers.ts',
        from: ' || exp - iat > maxLifetimeSeconds',
        to: '',
      },
    ],
  },
  {
    said: [
      'A token creates or links a user only if the account still trusts its issuer, and its policy still allows ID tokens, as the user is written.',
    ],
    test: { file: 'sign-in/id-token-trust', name: 'links and creates no user while' },
    broken: [
      {
        file: 'core/src/capabilities/identities/sql/lock-trust.ts',
        from: "    if (!isTrusted) return 'issuer_not_trusted'\n",
        to: '    if (!isTrusted) return undefined\n',
      },
    ],
  },
  {
    said: ['An e-mail names a user only if the token calls it verified'],
    test: {
      file: 'keys/issuer-traps',
      name: 'an e-mail names a user only where the token calls it verified',
    },
    broken: [
      {
        file: 'core/src/capabilities/trusted-issuers/issuer-claims.ts',
        from: 'return issuer.trustUnverifiedEmail || isEmailVerified(issuer, claims)',
        to: 'return true',
      },
    ],
  },
  {
    said: ['only a user who was there when the token was issued'],
    test: {
      file: 'sign-in/id-token-users',
      name: 'links no user who was created after the token was issued',
    },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/id-token.ts',
        from: 'identityId !== undefined || claims.iat >= since - leewaySeconds',
        to: 'true',
      },
    ],
  },
  {
    said: ['issuer, audience, type and times are always checked'],
    test: { file: 'keys/own-claims', name: 'is no token with another issuer, audience or type' },
    broken: [
      {
        file: 'core/src/capabilities/tokens/access-tokens.ts',
        from: '          issuer: issuerOf(accountId),\n',
        to: '',
      },
    ],
  },
  {
    said: ['type and times are always checked.'],
    test: { file: 'keys/own-claims', name: 'is a token between its times only' },
    broken: [
      {
        file: 'core/src/capabilities/tokens/access-tokens.ts',
        from: 'currentDate: new Date(clock())',
        to: 'currentDate: new Date(0)',
      },
    ],
  },
  {
    said: ['With discovery, the document must name exactly the trusted issuer.'],
    test: { file: 'keys/issuer-discovery', name: 'is another one' },
    broken: [
      {
        file: 'core/src/capabilities/trusted-issuers/discover-jwks-uri.ts',
        from: 'if (named.issuer !== issuer)',
        to: 'if (named.issuer === undefined)',
      },
    ],
  },
  {
    said: ['Documents are read within 3 seconds, up to 256 KiB'],
    test: { file: 'keys/hostile-issuers', name: 'of 10 MB', titleIn: 'keys/hostile-key-sets' },
    broken: [
      {
        file: 'core/src/capabilities/trusted-issuers/read-issuer-keys.ts',
        from: 'maxBytes = 256 * 1024',
        to: 'maxBytes = 64 * 1024 * 1024',
      },
    ],
  },
  {
    said: ['If keys cannot be read again, the known ones stay valid for one hour'],
    test: {
      file: 'keys/remote-jwks',
      name: 'outlive an outage for an hour after they were last read, and no longer',
    },
    broken: [
      {
        file: 'core/src/capabilities/trusted-issuers/remote-keys.ts',
        from: 'outliveMs = 60 * 60_000',
        to: 'outliveMs = 24 * 60 * 60_000',
      },
    ],
  },
  {
    said: ['No process signs with it: the current key is read for each new token.'],
    test: {
      file: 'keys/signing-keys',
      name: 'the tokens of a removed key are refused everywhere at once, and no process signs with it',
    },
    broken: [
      {
        file: 'core/src/capabilities/signing-keys/key-ring.ts',
        from: '    let keys = await repository.signingKeys.list(accountId)\n    const latest',
        to: '    const known = Reflect.get(this, accountId)\n    let keys = known ?? (await repository.signingKeys.list(accountId))\n    if (keys.length > 0) Reflect.set(this, accountId, keys)\n    const latest',
      },
    ],
  },
  {
    said: [
      'is refused by every process at once: each validation checks it in the same query as the user',
    ],
    test: {
      file: 'keys/signing-keys',
      name: 'the tokens of a removed key are refused everywhere at once, and no process signs with it',
    },
    broken: [
      {
        file: 'core/src/capabilities/tokens/prove-token.ts',
        from: "  if (state?.hasSigningKey === false) throw new ClienteleError('token_unknown_key')\n  // Where the user's own",
        to: "  // Where the user's own",
      },
      {
        file: 'core/src/capabilities/tokens/prove-token.ts',
        from: "  // The signature of a removed key proves nothing.\n  if (known?.hasSigningKey === false) throw new ClienteleError('token_unknown_key')\n",
        to: '',
      },
    ],
  },
  {
    said: ['refuses a removed key as soon as the revocation feed names it'],
    test: {
      file: 'validator/validator',
      name: 'learns of a removed signing key, and finds the next one',
    },
    broken: [{ file: 'validator/src/revocation-list.ts', from: ' || this.#keys.has(kid)', to: '' }],
  },
  {
    said: ['`@clientele/validator` requires the id of the key in each token'],
    test: {
      file: 'validator/hostile-tokens',
      name: 'a key without an id in the set verifies no token',
    },
    broken: [
      {
        file: 'validator/src/verify-token.ts',
        from: 'if (!isKeyId(header.kid)) throw new errors.JWKSNoMatchingKey()',
        to: '',
      },
      {
        file: 'validator/src/verify-token.ts',
        from: "if (!isKeyId(kid)) throw new ValidatorError('token_unknown_key')\n    return { claims: freezeJson(payload) as TokenClaims, kid }",
        to: 'return { claims: payload as TokenClaims, kid: String(kid) }',
      },
    ],
  },
]
