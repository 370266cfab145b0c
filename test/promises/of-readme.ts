import type { ProvenPromise } from './promise.ts'

export const promisesOfReadme: readonly ProvenPromise[] = [
  {
    said: ['writes a user together with your own rows, or neither'],
    test: {
      file: 'within/within',
      name: 'user, event and row exist after the commit, and listeners are called then',
    },
    broken: [
      {
        file: 'core/src/clientele/create-within.ts',
        from: 'repository: joined.stores,',
        to: 'repository,',
      },
    ],
  },
  {
    said: ["calls every route, yours too, with one customer's key and another customer's objects"],
    test: { file: 'testing/tenant-leaks', name: 'finds 403 instead of 404' },
    broken: [
      {
        file: 'core/src/testing/tenant-leaks/find-tenant-leaks.ts',
        from: 'const sent = { ...sender.objects, ...pick(owner.objects, foreign) }',
        to: 'const sent = { ...sender.objects }',
      },
    ],
  },
  {
    said: [
      'Imports take the hashes of [Auth0, Firebase, Supabase, better-auth, Keycloak, Django, WordPress',
    ],
    test: { file: 'keys/stored-hashes', name: ' signs in, and is replaced by ours' },
    broken: [
      {
        file: 'core/src/capabilities/passwords/stored-hashes/read-stored-hash.ts',
        from: '  firebaseFormat,\n',
        to: '',
      },
    ],
  },
  {
    said: [
      'a user of another account looks like one that does not exist',
      "One account never sees another account's users.",
      'In Clientele each customer has users of its own, with its own keys, limits, events and [sign-in policy]',
    ],
    test: {
      file: 'http/conformance',
      name: 'another account’s user does not exist',
      titleIn: 'http/cases/users',
    },
    broken: [
      {
        file: 'core/src/capabilities/users/sql/user-look-ups.ts',
        from: "    .selectFrom('clientele_users as u')\n    .where('u.account_id', '=', value('accountId'))\n    .where('u.id', '=', value('userId'))",
        to: "    .selectFrom('clientele_users as u')\n    .where('u.id', '=', value('userId'))",
      },
    ],
  },
  {
    said: ["The HTTP contract's minimum is six characters."],
    test: {
      file: 'http/conformance',
      name: 'a password of 5 code points',
      titleIn: 'http/cases/user-fields',
    },
    broken: [
      {
        file: 'core/src/capabilities/passwords/password-policy.ts',
        from: 'defaultMinPasswordLength = 6',
        to: 'defaultMinPasswordLength = 1',
      },
    ],
  },
  {
    said: ['An API key has full access to its account unless you limit its scopes'],
    test: { file: 'http/conformance', name: 'scopes', titleIn: 'http/cases/api-keys' },
    broken: [
      {
        file: 'core/src/capabilities/api-keys/authenticate-api-key.ts',
        from: 'if (scope !== undefined && !key.scopes.includes(scope)) {',
        to: 'if (scope !== undefined && scope.length === 0) {',
      },
    ],
  },
  {
    said: ['accepts only users who have one of these roles at that moment'],
    test: { file: 'http/guard-roles', name: 'admits users who now have one of the roles' },
    broken: [
      {
        file: 'core/src/mount/guard-request.ts',
        from: 'if (roles?.some((role) => validated.user.roles.includes(role)) === false)',
        to: 'if (roles?.length === 0)',
      },
    ],
  },
  {
    said: ['| request | answer |'],
    test: {
      file: 'http/contract-guide',
      name: 'each route that the contract names exists, with the status of its answer',
    },
    broken: [
      {
        file: 'core/src/capabilities/sign-in/routes.ts',
        from: '/auth/login`,',
        to: '/auth/log-in`,',
      },
    ],
  },
  {
    said: ['| status | codes |'],
    test: { file: 'http/contract-guide', name: 'the contract has each error code by its status' },
    broken: [
      {
        file: 'core/src/base/errors.ts',
        from: '    idempotency_key_reused:',
        to: '    idempotency_key_reuse:',
      },
    ],
  },
  {
    said: ['A user has exactly these fields'],
    test: {
      file: 'http/conformance',
      name: 'create with roles and metadata',
      titleIn: 'http/cases/users',
    },
    broken: [
      {
        file: 'core/src/user-model/render-user.ts',
        from: 'text += render(user)',
        to: 'text += render(user) + \',"more":1\'',
      },
    ],
  },
  {
    said: ['`name` has 2 to 50 characters'],
    test: {
      file: 'http/conformance',
      name: 'all broken rules at once',
      titleIn: 'http/cases/user-fields',
    },
    broken: [
      {
        file: 'core/src/user-model/fields.ts',
        from: 'schema: createLabelSchema(2, 50)',
        to: 'schema: createLabelSchema(1, 500)',
      },
    ],
  },
  {
    said: ['a request body at most 64 KiB'],
    test: {
      file: 'http/conformance',
      name: 'a chunked body of 64 KiB and a byte',
      titleIn: 'http/cases/bodies',
    },
    broken: [
      {
        file: 'core/src/http/read-body.ts',
        from: 'usualMaxBytes = 64 * 1024',
        to: 'usualMaxBytes = 640 * 1024',
      },
    ],
  },
  {
    said: ['An unknown member of a body, or an unknown query parameter, is 422'],
    test: {
      file: 'http/conformance',
      name: 'unknown members beside broken rules',
      titleIn: 'http/cases/strict-input',
    },
    broken: [{ file: 'core/src/base/input/wire-names.ts', from: '.strictObject(', to: '.object(' }],
  },
  {
    said: ['The last response is `{ "isValid": true, "success_code": 200, "user": { … } }`.'],
    test: { file: 'http/conformance', name: 'a valid token', titleIn: 'http/cases/tokens' },
    broken: [
      {
        file: 'core/src/capabilities/tokens/routes.ts',
        from: 'return `{"isValid":true,"success_code":200,',
        to: 'return `{"isValid":true,',
      },
    ],
  },
  {
    said: ['Then each account is an issuer, `<publicUrl>/client/account/<account id>`'],
    test: { file: 'http/public-url', name: 'verifiers find keys and metadata by the issuer' },
    broken: [
      {
        file: 'core/src/capabilities/signing-keys/issuer-name.ts',
        from: '{accountPath}/',
        to: '{accountPath}s/',
      },
    ],
  },
  {
    said: ['no request per token, and a logout is noticed within seconds'],
    test: {
      file: 'validator/validator',
      name: 'learns of a logout, a new password and a deactivation',
    },
    broken: [
      {
        file: 'validator/src/revocation-list.ts',
        from: 'if (this.#sessions.has(sid) || ',
        to: 'if (',
      },
    ],
  },
  {
    said: ['lists every code with its message'],
    test: { file: 'package/error-reference', name: 'the error reference names every code' },
    broken: [
      {
        file: 'core/src/base/errors.ts',
        from: "malformed_json: 'The body is not valid JSON in UTF-8.'",
        to: "malformed_json: 'The body is not valid JSON.'",
      },
    ],
  },
]
