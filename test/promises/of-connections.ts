import type { ProvenPromise } from './promise.ts'

export const promisesOfConnections: readonly ProvenPromise[] = [
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
        from: 'maxSilentChecks = 15',
        to: 'maxSilentChecks = 1_500',
      },
    ],
  },
  {
    said: ['When unread responses take more than 256 MiB'],
    test: {
      file: 'http/unread-responses',
      name: 'the account that holds most loses those that have waited longest',
    },
    broken: [
      {
        file: 'core/src/http/node/unread-responses.ts',
        from: 'if (each.accountId !== accountId) continue',
        to: '',
      },
    ],
  },
  {
    said: [
      'the standalone server takes a connection for idle only when its response has left the process',
    ],
    test: { file: 'server/slow-readers', name: 'at the limit of connections, a response' },
    broken: [
      {
        file: 'cli/src/server/open-http-server.ts',
        from: 'this.openResponses.get(socket) === undefined && socket.writableLength === 0',
        to: 'true',
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
      name: ' ends the connection when it comes in thousands of tiny pieces',
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
    said: ['connections that have sent the fewest pieces lately are read first'],
    test: {
      file: 'http/piece-turns',
      name: 'a connection that has used up a turn is read, however many others go on with a few pieces each',
    },
    broken: [
      {
        file: 'core/src/http/node/piece-turns.ts',
        from: 'countsAt(reader, now) > few',
        to: 'countsAt(reader, now) < 0',
      },
    ],
  },
  {
    said: ['Bodies in many small pieces are read in turns'],
    test: {
      file: 'http/piece-turns',
      name: 'bodies in many small pieces, on many connections, are read in turns, and an older connection first',
    },
    broken: [
      {
        file: 'core/src/http/node/piece-turns.ts',
        from: 'mostOfAll = 2_000',
        to: 'mostOfAll = 2_000_000',
      },
    ],
  },
  {
    said: ['A request that Node itself refuses', 'is the last of its connection'],
    test: {
      file: 'http/turns',
      name: 'are answered by Node: the first is the last of its connection',
    },
    broken: [
      {
        file: 'core/src/http/node/end-parsing.ts',
        from: 'isOver = isAnsweredByNode(req, server)',
        to: 'isOver = isAnsweredByNode(req, server) && false',
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
    said: ['One of more than 2 KiB, or of more than 16 values, is parsed only then.'],
    test: {
      file: 'http/unread-bodies',
      name: 'is not parsed if it has many values, or more than 2 KiB',
    },
    broken: [
      {
        file: 'core/src/mount/handle-request.ts',
        from: 'isQuick(received, route)\n',
        to: 'isQuick(undefined, route)\n',
      },
    ],
  },
  {
    said: [
      "At most 2 MiB of an account's bodies, of more than 2 KiB each, are received and worked on at a time",
    ],
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
    said: [
      'reads that scan an account use at most three connections, two per account, and accounts take turns',
    ],
    test: {
      file: 'faults/loop-turns',
      name: 'three reads that scan accounts run at once, two of an account, and accounts take turns',
    },
    broken: [
      {
        file: 'core/src/sql/postgres/scan-limit.ts',
        from: 'atOncePerAccount = 2',
        to: 'atOncePerAccount = 3',
      },
    ],
  },
  {
    said: [
      "A write takes a connection only while more are free than writes of its account have: half of a pool's at most, and a quarter if another account has half",
      "So do writes that wait for each other's rows: with ten connections, those of three accounts leave one to a fourth.",
    ],
    test: {
      file: 'faults/fair-connections',
      name: 'accounts that write take half of the connections that are free',
    },
    broken: [
      {
        file: 'core/src/base/runtime/fair-limit.ts',
        from: '(leavesFree ? running : 0) < this.#free',
        to: '0 < this.#free',
      },
    ],
  },
  {
    said: [
      'Reads of one account use two fifths at most.',
      'So large pages of one account leave connections to others.',
    ],
    test: {
      file: 'faults/fair-connections',
      name: 'are left to other accounts while',
    },
    broken: [
      {
        file: 'core/src/sql/connection-limits.ts',
        from: 'leavesFree: true',
        to: 'leavesFree: false',
      },
      {
        file: 'core/src/sql/connection-limits.ts',
        from: '(2 / 5) * connections',
        to: '2 * connections',
      },
    ],
  },
  {
    said: ['Known keys of all accounts share queries, too, or each account has its own share'],
    test: {
      file: 'faults/fair-connections',
      name: 'look-ups of keys of many accounts share statements, or have a connection for each',
    },
    broken: [
      {
        file: 'core/src/capabilities/api-keys/sql/api-key-look-up.ts',
        from: "accountId === undefined ? '' : lane",
        to: 'lane',
      },
    ],
  },
  {
    said: ['This holds for HTTP/1.1 in the standalone server, in `clienteleListener`'],
    test: { file: 'http/turns', name: 'handle the requests of a connection one after the other' },
    broken: [
      {
        file: 'core/src/mount/node/clientele-listener.ts',
        from: 'takeTurn(req, res, () => void respond(req, res, next))',
        to: 'void respond(req, res, next)',
      },
    ],
  },
  {
    said: ["A body is parsed in its account's turn, not when its last byte arrives."],
    test: {
      file: 'faults/fair-requests',
      name: 'are not all parsed before the body of another account',
    },
    broken: [
      {
        file: 'core/src/mount/handle-request.ts',
        from: 'const begin = () => loopTurns.run(turn, answerInTurn)',
        to: 'const begin = () => answerInTurn()',
      },
    ],
  },
]
