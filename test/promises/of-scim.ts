import type { ProvenPromise } from './promise.ts'

export const promisesOfScim: readonly ProvenPromise[] = [
  {
    said: [
      '**SCIM** is opened by an API key with the scope `scim`, which no key has unless it is named.',
    ],
    test: {
      file: 'scim/protocol',
      name: 'takes only keys with the scope, and no key has it unless it is named',
    },
    broken: [
      {
        file: 'core/src/capabilities/api-keys/api-key.ts',
        from: '.default([...defaultScopes]),',
        to: '.default([...scopes]),',
      },
    ],
  },
  {
    said: [
      'Its first change of a user whom SCIM did not create, and whose address nobody has proved or who gets another one by it, ends what the first proof of an address ends, also the password',
    ],
    test: { file: 'scim/takeover', name: 'keeps nothing of who registered the address' },
    broken: [
      {
        file: 'core/src/capabilities/scim/take-over-user.ts',
        from: 'dropsPassword: true,',
        to: 'dropsPassword: false,',
      },
    ],
  },
  {
    said: ['A filter has at most 2,000 characters, 50 comparisons and 10 levels.'],
    test: { file: 'scim/protocol', name: 'bounds filters, and refuses what it does not know' },
    broken: [
      {
        file: 'core/src/scim/filter/parse-filter.ts',
        from: 'const maxComparisons = 50',
        to: 'const maxComparisons = 5_000',
      },
    ],
  },
  {
    said: [
      'It reads 2,000 users at most by indexes, or 10,000 without one, and other requests are answered meanwhile.',
    ],
    test: { file: 'scim/hostile-requests', name: 'ranges that overlap' },
    broken: [
      {
        file: 'core/src/capabilities/scim/search-scim-users.ts',
        from: 'const maxRead = 2 * maxFound',
        to: 'const maxRead = 200 * maxFound',
      },
    ],
  },
  {
    said: [
      'Accounts share the time of searches: while some accounts send many, another account waits only for the searches in progress.',
    ],
    test: {
      file: 'scim/searches-beside',
      name: 'go before those of accounts that have searched for longer',
    },
    broken: [
      {
        file: 'core/src/scim/read-in-turn.ts',
        from: 'places.run(call.accountId, expectedMs',
        to: "places.run('', expectedMs",
      },
    ],
  },
  {
    said: [
      'One request changes the roles of 2,000 users at most, and of as many of an earlier rename that it finishes, and other requests are answered in between.',
    ],
    test: {
      file: 'scim/large-groups',
      name: 'is listed by its users, and deleted in several requests',
    },
    broken: [
      {
        file: 'core/src/capabilities/scim/scim-group.ts',
        from: 'export const maxChangedMembers = 2_000',
        to: 'export const maxChangedMembers = 20_000',
      },
    ],
  },
]
