import type { ProvenPromise } from './promise.ts'

export const promisesOfLoad: readonly ProvenPromise[] = [
  {
    said: ['may queue, and 2,000 may be in progress'],
    test: { file: 'http/requests-in-progress', name: 'at most 2,000 requests in progress' },
    broken: [
      {
        file: 'core/src/base/runtime/account-requests.ts',
        from: 'maxInProgress = 2_000',
        to: 'maxInProgress = 2_000_000',
      },
    ],
  },
  {
    said: ['Pages of metrics take a tenth of the time at most, however many readers ask.'],
    test: { file: 'server/metrics-pages', name: 'take a tenth of the time at most' },
    broken: [
      {
        file: 'cli/src/server/observe/share-pages.ts',
        from: 'restFactor = 9',
        to: 'restFactor = 0',
      },
    ],
  },
  {
    said: ['On SQLite, accounts take turns at writes, each with one.'],
    test: { file: 'faults/group-commit', name: 'the write of another comes second' },
    broken: [
      {
        file: 'core/src/sql/sqlite/in-turns.ts',
        from: 'counts.size < 2 ? writes : rounds.flat()',
        to: 'counts.size < 2 ? writes : writes',
      },
    ],
  },
  {
    said: ['Writes that wait together share a commit for up to 5 ms or 200 changed rows.'],
    test: { file: 'faults/group-rows', name: 'is committed before the next' },
    broken: [
      {
        file: 'core/src/sql/sqlite/group-commit.ts',
        from: 'groupRows = 200',
        to: 'groupRows = 200_000',
      },
    ],
  },
  {
    said: ['ends about 200 at a time, or those of one user'],
    test: {
      file: 'import/ended-rows',
      name: 'is stored in parts when it deactivates users with many rows',
    },
    broken: [
      {
        file: 'core/src/capabilities/import-export/sql/import-plan.ts',
        from: 'maxEnded = 200',
        to: 'maxEnded = 200_000',
      },
    ],
  },
  {
    said: ['are made and verified a few at a time, and accounts share that time'],
    test: { file: 'faults/fair-signatures', name: 'in batches leave another account its turns' },
    broken: [
      {
        file: 'core/src/base/runtime/signature-turns.ts',
        from: 'atOnce = 4',
        to: 'atOnce = 4_000',
      },
    ],
  },
  {
    said: ['another account waits only for the signatures in progress'],
    test: { file: 'faults/fair-signatures', name: 'tokens that are issued for one account' },
    broken: [
      {
        file: 'core/src/capabilities/tokens/access-tokens.ts',
        from: 'signings.run(accountId, () => unsigned.sign(key.privateKey))',
        to: 'unsigned.sign(key.privateKey)',
      },
    ],
  },
  {
    said: [
      'An input of more than 5,000 values, or with a text longer than four times its limit, is refused',
    ],
    test: {
      file: 'http/conformance',
      name: 'more values than any input needs',
      titleIn: 'http/cases/strict-input',
    },
    broken: [
      {
        file: 'core/src/base/input/json.ts',
        from: 'maxJsonValues = 5_000',
        to: 'maxJsonValues = 5_000_000',
      },
    ],
  },
  {
    said: ['with a text longer than four times its limit'],
    test: {
      file: 'inputs/long-runs-of-marks',
      name: 'a text of more than four times its limit is refused before it is normalised',
    },
    broken: [
      {
        file: 'core/src/base/input/bounded-text.ts',
        from: 'unitsPerCharacter = 4',
        to: 'unitsPerCharacter = 4_000_000',
      },
    ],
  },
  {
    said: ["A batch of the console's import has at most 512 KiB and 20,000 values,"],
    test: {
      file: 'console/operations',
      name: 'a batch has up to 500 records, 512 KiB and 20,000 values',
    },
    broken: [
      {
        file: 'core/src/console/http/data-operations.ts',
        from: 'maxImportBytes = 512 * 1024',
        to: 'maxImportBytes = 5_120 * 1024',
      },
    ],
  },
  {
    said: ['the values of a body are counted before it is parsed'],
    test: {
      file: 'console/operations',
      name: 'a batch that holds too many values, or nests too deep, is refused before it is parsed',
    },
    broken: [
      {
        file: 'core/src/http/bound-json.ts',
        from: 'maxValuesOfItems = 4 *',
        to: 'maxValuesOfItems = 1_000 *',
      },
    ],
  },
  {
    said: ['and 2,500 different member names, or names in another order'],
    test: {
      file: 'console/operations',
      name: 'a batch of many different names, or orders of names, is refused before it is parsed',
    },
    broken: [
      {
        file: 'core/src/base/input/count-layouts.ts',
        from: 'maxLayouts = 2_500',
        to: 'maxLayouts = 2_500_000',
      },
    ],
  },
  {
    said: ['so has a SCIM group that is written.'],
    test: {
      file: 'scim/groups',
      name: 'is not written from a body of many different names',
    },
    broken: [
      {
        file: 'core/src/base/input/count-layouts.ts',
        from: 'maxLayouts = 2_500',
        to: 'maxLayouts = 2_500_000',
      },
    ],
  },
  {
    said: ['one batch per account and two in all at a time'],
    test: {
      file: 'import/import-turns',
      name: 'one batch of an account is stored at a time, and two in all',
    },
    broken: [
      {
        file: 'core/src/capabilities/import-export/import-turns.ts',
        from: 'atOncePerKey: 1, ...waiting',
        to: 'atOncePerKey: 2, ...waiting',
      },
    ],
  },
  {
    said: [
      "exports and erasures of persons run two per account, and four in all read a person's rows or delete them in one transaction, at a time",
    ],
    test: {
      file: 'personal-data/person-turns',
      name: 'run two per account and four in all at a time',
    },
    broken: [
      {
        file: 'core/src/clientele/create-services.ts',
        from: 'personsOfAccountAtOnce = 2',
        to: 'personsOfAccountAtOnce = 4',
      },
    ],
  },
  {
    said: ['An import over HTTP has at most 16 MiB, 20,000 lines and 64 KiB a line'],
    test: { file: 'http/streams', name: 'of more lines than one body has ends before them' },
    broken: [
      {
        file: 'core/src/capabilities/import-export/routes.ts',
        from: 'maxLines = 20_000',
        to: 'maxLines = 200_000',
      },
    ],
  },
  {
    said: ['and ends when its body is silent for 30 seconds'],
    test: { file: 'http/streams', name: 'ends where the body falls silent' },
    broken: [
      {
        file: 'core/src/http/read-lines.ts',
        from: 'Math.min(silenceMs, totalMs - this.#waitedMs)',
        to: 'totalMs - this.#waitedMs',
      },
    ],
  },
  {
    said: ['An account runs at most four imports and exports over HTTP at a time'],
    test: { file: 'http/streams', name: 'four of an account at a time' },
    broken: [
      {
        file: 'core/src/clientele/create-services.ts',
        from: 'transfersOfAccountAtOnce = 4',
        to: 'transfersOfAccountAtOnce = 5',
      },
    ],
  },
  {
    said: ['An export makes no further part while its reader takes none'],
    test: { file: 'http/streams', name: 'waits for its reader' },
    broken: [
      {
        file: 'core/src/mount/to-readable-stream.ts',
        from: '    },\n  })\n\n  function end',
        to: '    },\n  }, { highWaterMark: 1_000 })\n\n  function end',
      },
    ],
  },
  {
    said: ['A turn of the loop makes one part of all exports'],
    test: { file: 'import/export-parts', name: 'makes one part of all exports' },
    broken: [
      {
        file: 'core/src/capabilities/import-export/stream-export.ts',
        from: 'services.largeResponses.render(call.accountId, toPieces(records), 0).stream',
        to: 'toPieces(records)',
      },
    ],
  },
  {
    said: ['its connection is reset when it fails on the way, so that it does not look complete'],
    test: { file: 'http/streams', name: 'that fails on the way breaks the connection' },
    broken: [
      {
        file: 'core/src/mount/node/to-readable.ts',
        from: 'breakOff(res.socket)',
        to: 'res.end()',
      },
    ],
  },
  {
    said: ['A Unix socket has no resets: there only HTTP/1.1 shows it.'],
    test: { file: 'http/broken-responses', name: 'a response over a Unix socket that fails' },
    broken: [
      {
        file: 'core/src/mount/node/to-readable.ts',
        from: 'breakOff(res.socket)',
        to: 'res.end()',
      },
    ],
  },
  {
    said: [
      'The API key of a request that waits, whose body comes slowly or which goes on for long, such as an import, an export or a SCIM request, is verified again every second.',
    ],
    test: { file: 'http/streams', name: 'a caller whose key is revoked meanwhile is refused' },
    broken: [
      {
        file: 'core/src/http/keep-admitted.ts',
        from: 'admittedMs = 1_000',
        to: 'admittedMs = 10_000',
      },
    ],
  },
  {
    said: ['Exports over HTTP never contain passwords or their hashes'],
    test: {
      file: 'http/conformance',
      name: 'import: hashes of passwords',
      titleIn: 'http/cases/bulk',
    },
    broken: [
      {
        file: 'core/src/capabilities/import-export/export-users.ts',
        from: 'render(toRecord(exported, false))',
        to: 'render(toRecord(exported, true))',
      },
    ],
  },
  {
    said: ['Other responses have about one mebibyte at most'],
    test: {
      file: 'events/feed',
      name: 'a page ends at about a megabyte of events, and the next continues there',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/sql/select-events.ts',
        from: 'maxPageBytes = 1024 * 1024',
        to: 'maxPageBytes = 1024 ** 3',
      },
    ],
  },
  {
    said: [
      'its lists are read one at a time',
      'a turn of the loop renders at most 64 KiB of all of them',
    ],
    test: {
      file: 'users/large-lists',
      name: 'are read one after the other, and a turn of the event loop renders one part of all of them',
    },
    broken: [
      {
        file: 'core/src/base/runtime/large-responses.ts',
        from: 'atOncePerKey: 1',
        to: 'atOncePerKey: 2',
      },
      {
        file: 'core/src/base/runtime/large-responses.ts',
        from: 'partLength = 32 * 1024',
        to: 'partLength = 1024 ** 3',
      },
    ],
  },
  {
    said: ['So are batches of tokens, after the first such batch, but 20 users at a time.'],
    test: {
      file: 'users/large-lists',
      name: 'the users of a large batch of tokens are read twenty at a time',
    },
    broken: [
      {
        file: 'core/src/capabilities/tokens/validate-tokens.ts',
        from: 'tokensOfGroup = 20',
        to: 'tokensOfGroup = 100',
      },
    ],
  },
  {
    said: ['Large pages of feeds are rendered so, too.'],
    test: { file: 'events/large-pages', name: 'a large page of the feed is sent in parts' },
    broken: [
      {
        file: 'core/src/capabilities/events/routes.ts',
        from: 'return largeResponses.isLarge(bytes)',
        to: 'return largeResponses.isLarge(-bytes)',
      },
    ],
  },
  {
    said: [
      'An RSA key of an issuer or a passkey whose exponent has more than 64 bits is refused, because verifying by it takes long.',
    ],
    test: {
      file: 'passkeys/costly-responses',
      name: 'with an exponent as long as the modulus',
    },
    broken: [
      {
        file: 'core/src/base/crypto/find-rsa-problem.ts',
        from: 'maxExponentBytes = 8',
        to: 'maxExponentBytes = 800',
      },
    ],
  },
  {
    said: [
      'While unsent responses of this kind take 16 MiB of an account, it gets no further one.',
    ],
    test: {
      file: 'users/large-lists',
      name: 'while those that are being sent take 16 MiB, no further one of the account is read',
    },
    broken: [
      {
        file: 'core/src/base/runtime/large-responses.ts',
        from: 'mostHeld = 16 *',
        to: 'mostHeld = 160 *',
      },
    ],
  },
  {
    said: [
      "A page of events, of a person's events or of the console's export has fewer entries if they are large",
    ],
    test: {
      file: 'console/operations',
      name: 'a page of an export ends after about a megabyte, and no user is missing',
    },
    broken: [
      {
        file: 'core/src/capabilities/import-export/export-users.ts',
        from: 'maxPageBytes = 1024 * 1024',
        to: 'maxPageBytes = 1024 ** 3',
      },
    ],
  },
  {
    said: ['A user has at most 100 sessions'],
    test: {
      file: 'sessions/sessions',
      name: 'a user has a hundred sessions: with one more, the one that was unused for longest ends',
    },
    broken: [
      {
        file: 'core/src/capabilities/sessions/max-sessions.ts',
        from: 'maxSessions = 100',
        to: 'maxSessions = 1_000',
      },
    ],
  },
  {
    said: ['A QR code for an authenticator app holds at most 310 bytes'],
    test: { file: 'mfa/guards', name: 'a QR code has room for long names' },
    broken: [
      {
        file: 'core/src/capabilities/mfa/totp.ts',
        from: 'nameBytes = 210',
        to: 'nameBytes = 2_100',
      },
      {
        file: 'core/src/capabilities/mfa/totp.ts',
        from: 'issuerBytes = 72',
        to: 'issuerBytes = 720',
      },
    ],
  },
  {
    said: ["Pages of the console's export are read one per account and two in all at a time."],
    test: { file: 'console/export-turns', name: 'are read one after the other for an account' },
    broken: [
      {
        file: 'core/src/clientele/create-services.ts',
        from: '      atOnce: 2,\n      atOncePerKey: 1,',
        to: '      atOnce: 2,\n      atOncePerKey: 2,',
      },
    ],
  },
  {
    said: ['On SQLite, queries that scan a large account run in a separate thread'],
    test: { file: 'faults/sqlite-reader', name: 'one thread reads, and ends with its Clientele' },
    broken: [
      {
        file: 'core/src/sql/sqlite/driver.ts',
        from: 'isFile && options.ownsConnection ?',
        to: 'isFile && options.ownsConnection === undefined ?',
      },
    ],
  },
  {
    said: ['Accounts whose queries take more than a quarter of a second share a second thread'],
    test: {
      file: 'faults/read-lanes',
      name: 'slow reads share a lane, and those of other accounts do not wait for them',
    },
    broken: [
      {
        file: 'core/src/sql/sqlite/read-lanes.ts',
        from: 'await settlesWithin(answer, quickMs)',
        to: 'await settlesWithin(answer, 3_600_000)',
      },
    ],
  },
  {
    said: ['A tool checks every regular expression in the packages'],
    test: {
      file: 'package/patterns',
      name: 'the work of every pattern in a package grows with the text, and no faster',
    },
    broken: [
      {
        file: 'core/src/capabilities/tokens/access-tokens.ts',
        from: '/^[\\w-]{1,100}$/',
        to: '/^([\\w-]+)+$/',
      },
    ],
  },
  {
    said: ['It also has at most 100 waiting'],
    test: {
      file: 'faults/large-deletions',
      name: 'a user has at most a hundred waiting sign-ins and enrolments, and the latest stays',
    },
    broken: [
      { file: 'core/src/sql/end-surplus.ts', from: 'maxOpen = 100', to: 'maxOpen = 100_000' },
    ],
  },
  {
    said: ['The next one of a kind ends the oldest of that kind.'],
    test: {
      file: 'sign-in/strangers-requests',
      name: 'ends no mailed token of its user by asking for a hundred that live longer',
    },
    broken: [
      {
        file: 'core/src/sql/end-surplus.ts',
        from: '$if(purpose !== undefined',
        to: "$if(purpose === ''",
      },
    ],
  },
  {
    said: ['also when an operator deletes the whole account'],
    test: { file: 'accounts/large-accounts', name: 'the deletion of an account on' },
    broken: [
      {
        file: 'core/src/capabilities/account-lifecycle/sql/shorten-account.ts',
        from: 'isInProcess ? 100 : 500',
        to: 'isInProcess ? 1_000_000 : 500',
      },
    ],
  },
  {
    said: [
      "A person's export has a thousand former addresses at most, and says whether there are more.",
    ],
    test: { file: 'personal-data/former-addresses', name: 'are a thousand at most' },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/max-former-emails.ts',
        from: 'maxFormerEmails = 1_000',
        to: 'maxFormerEmails = 1_000_000',
      },
    ],
  },
  {
    said: ['is deleted in parts'],
    test: {
      file: 'faults/large-deletions',
      name: 'no other caller waits for it',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/sql/shorten-rows.ts',
        from: 'emailsAtOnce = 10',
        to: 'emailsAtOnce = 1_000_000',
      },
    ],
  },
  {
    said: [
      "of an account's feeds are read over HTTP one after the other, and four in all at a time",
    ],
    test: {
      file: 'events/feed-turns',
      name: 'pages of an account are read and rendered one in each turn of the event loop',
    },
    broken: [
      {
        file: 'core/src/base/runtime/large-responses.ts',
        from: '    atOncePerKey: 1,\n    maxWaiting,',
        to: '    atOncePerKey: 4,\n    maxWaiting,',
      },
    ],
  },
  {
    said: [
      "Events for an account's webhooks are read for one endpoint after the other, about 256 KiB at a time.",
    ],
    test: {
      file: 'webhooks/delivery-slots',
      name: 'messages are read for one endpoint of an account in each turn of the event loop',
    },
    broken: [
      {
        file: 'core/src/capabilities/webhooks/delivery/delivery-slots.ts',
        from: 'atOncePerKey: 1,',
        to: 'atOncePerKey: 10,',
      },
    ],
  },
]
