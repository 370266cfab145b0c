import type { ProvenPromise } from './promise.ts'

export const promisesOfLoad: readonly ProvenPromise[] = [
  {
    said: ['are verified a few at a time, and accounts share that time'],
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
    said: ["A batch of the console's import has at most 512 KiB and 50,000 values."],
    test: {
      file: 'console/operations',
      name: 'a batch has up to 500 records, 512 KiB and 50,000 values',
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
        from: 'maxValuesOfItems = 10 *',
        to: 'maxValuesOfItems = 1_000 *',
      },
    ],
  },
  {
    said: ['one batch per account and two in all at a time'],
    test: {
      file: 'import/rounds',
      name: 'imports of one account at once take turns, and all are stored',
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
    said: ['exports and erasures of persons run two per account and four in all at a time'],
    test: {
      file: 'personal-data/person-turns',
      name: 'another account does not wait until all are done',
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
    said: ['Responses have about one mebibyte at most'],
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
      "a page of events, of a person's events or of the console's export has fewer entries if they are large",
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
    said: ['the requests of one connection are answered one after the other'],
    test: {
      file: 'http/turns',
      name: 'are handled one after the other, and the event loop turns in between',
    },
    broken: [
      {
        file: 'core/src/http/node/take-turns.ts',
        from: 'else wait(connection, socket, res, answer)',
        to: 'else answer()',
      },
    ],
  },
  {
    said: ['a client that reads nothing for 30 seconds loses its connection'],
    test: {
      file: 'http/turns',
      name: 'may stay unread for long if the client keeps reading, and not otherwise',
    },
    broken: [
      {
        file: 'core/src/http/node/unread-responses.ts',
        from: "res.once('timeout', () => socket.destroy())",
        to: '',
      },
    ],
  },
  {
    said: ['A connection with more than 50 waiting requests is closed'],
    test: {
      file: 'http/turns',
      name: 'wait, up to 50 on a connection, and Node parses no further ones that were sent with them',
    },
    broken: [
      { file: 'core/src/http/node/take-turns.ts', from: 'maxWaiting = 50', to: 'maxWaiting = 900' },
    ],
  },
  {
    said: ['so is one whose body comes in more than 500 pieces'],
    test: {
      file: 'http/turns',
      name: 'may come in a few tiny pieces, and in any number of larger ones',
    },
    broken: [
      {
        file: 'core/src/http/node/bound-pieces.ts',
        from: 'const { isTooFine } = pieces',
        to: 'const isTooFine = false',
      },
    ],
  },
  {
    said: ['or goes on for more than 1 MiB after its response'],
    test: { file: 'http/turns', name: 'is read for at most a mebibyte after its response' },
    broken: [
      {
        file: 'core/src/http/node/bound-pieces.ts',
        from: 'pieces.bytes > maxUnwantedBytes',
        to: 'pieces.bytes < 0 * maxUnwantedBytes',
      },
    ],
  },
  {
    said: ['In one turn of the event loop, 16 requests start immediately'],
    test: {
      file: 'faults/loop-turns',
      name: 'one turn of the event loop starts sixteen requests when they come',
    },
    broken: [
      {
        file: 'core/src/base/runtime/loop-turns.ts',
        from: 'weightAtOnce = 16',
        to: 'weightAtOnce = 1_000_000',
      },
    ],
  },
  {
    said: ['At most 1,000 requests of an account may queue'],
    test: {
      file: 'faults/loop-turns',
      name: 'a thousand requests of an account wait, and no more',
    },
    broken: [
      {
        file: 'core/src/base/runtime/loop-turns.ts',
        from: 'maxWaiting = 1_000',
        to: 'maxWaiting = 1_000_000',
      },
    ],
  },
  {
    said: ['A body larger than 8 KiB is read only after the API key is verified.'],
    test: { file: 'http/unread-bodies', name: 'is read up to 8 KiB, and not if it is larger' },
    broken: [
      {
        file: 'core/src/mount/receive-body.ts',
        from: 'usualTokenBytes = 8 * 1024',
        to: 'usualTokenBytes = 8 * 1024 * 1024',
      },
    ],
  },
  {
    said: ["At most 2 MiB of an account's bodies are received and worked on at a time"],
    test: {
      file: 'faults/body-room',
      name: 'is 2 MiB for each account, in the order of the requests',
    },
    broken: [
      {
        file: 'core/src/base/runtime/body-room.ts',
        from: 'roomBytes = 2 * 1024 * 1024',
        to: 'roomBytes = 200 * 1024 * 1024',
      },
    ],
  },
  {
    said: ['up to 16 MiB more wait unread'],
    test: { file: 'faults/body-room', name: 'lets 16 MiB wait' },
    broken: [
      {
        file: 'core/src/base/runtime/body-room.ts',
        from: 'maxWaitingBytes = 16 *',
        to: 'maxWaitingBytes = 1_600 *',
      },
    ],
  },
  {
    said: ['reads that scan an account use at most three connections, and accounts take turns'],
    test: {
      file: 'faults/loop-turns',
      name: 'three reads that scan an account run at once, and accounts take turns',
    },
    broken: [
      { file: 'core/src/sql/postgres/scan-limit.ts', from: 'atOnce = 3', to: 'atOnce = 30' },
    ],
  },
]
