import type { ProvenPromise } from './promise.ts'

export const promisesOfServerEvents: readonly ProvenPromise[] = [
  {
    said: ['while mails of one account are not accepted, it has 16 of 64 places'],
    test: { file: 'server/hanging-mails', name: 'that hang leave places to those of others' },
    broken: [
      {
        file: 'core/src/base/runtime/task-queue.ts',
        from: 'atOncePerAccount = 16',
        to: 'atOncePerAccount = 64',
      },
    ],
  },
  {
    said: ["and three of the standalone server's five connections by SMTP"],
    test: {
      file: 'server/hanging-mails',
      name: 'for the addresses of an account is asked about those of others',
    },
    broken: [
      {
        file: 'cli/src/server/mail/smtp-sender.ts',
        from: 'atOncePerAccount = 3',
        to: 'atOncePerAccount = 5',
      },
    ],
  },
  {
    said: ['The server listens on 127.0.0.1 unless told otherwise.'],
    test: {
      file: 'server/settings',
      name: 'the README has the settings that --help has, with the same words and defaults',
    },
    broken: [
      {
        file: 'cli/src/server/settings/setting-table.ts',
        from: "withFallback('HOST', '127.0.0.1'",
        to: "withFallback('HOST', '0.0.0.0'",
      },
    ],
  },
  {
    said: ['| subject | events |'],
    test: { file: 'events/event-lists', name: 'the guide names every event' },
    broken: [
      {
        file: 'core/src/capabilities/events/event-types.ts',
        from: "'passkey.renamed': {",
        to: "'passkey.named': {",
      },
    ],
  },
  {
    said: ['Every response has an `X-Request-Id`'],
    test: { file: 'http/conformance', name: 'find', titleIn: 'http/cases/users' },
    broken: [
      {
        file: 'core/src/http/render.ts',
        from: "  headers['x-request-id'] = requestId\n",
        to: "  headers['x-request-id'] = requestId.slice(0, 0)\n",
      },
    ],
  },
  {
    said: ['`/health/ready` answers 503 while the database does not respond'],
    test: {
      file: 'server/standalone-server',
      name: 'the database goes away: not ready, 503 and still alive',
    },
    broken: [
      {
        file: 'cli/src/server/request-listener.ts',
        from: '() => sendProblem(res, unavailable)',
        to: '() => sendOk(res)',
      },
    ],
  },
  {
    said: ['All invalid settings are reported by name at startup'],
    test: { file: 'server/settings', name: 'all invalid settings are reported at once' },
    broken: [
      {
        file: 'cli/src/server/settings/read-settings.ts',
        from: '      problems.push(`$',
        to: '      if (variable) throw new SettingsError([variable])\n      problems.push(`$',
      },
    ],
  },
  {
    said: ['An error that a listener throws is logged and has no other effect'],
    test: {
      file: 'inputs/calls',
      name: 'a failure after the response is logged with the id of the request',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/events.ts',
        from: "void this.#call(listener, told).catch((error: unknown) =>\n        this.#logger.error({ event: name, requestId, error }, 'A listener failed.'),\n      )",
        to: 'void this.#call(listener, told).catch(() => {})',
      },
    ],
  },
  {
    said: ['At most 100 requests of an account wait in a process'],
    test: {
      file: 'events/feed',
      name: 'a hundred readers of an account may wait; another is answered at once',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/feed-watch.ts',
        from: 'maxWaitersPerAccount = 100',
        to: 'maxWaitersPerAccount = 100_000',
      },
    ],
  },
  {
    said: ['A cursor older than the retention time is 410'],
    test: {
      file: 'events/feed',
      name: 'old events are deleted, and a cursor from before them has expired',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/cursor.ts',
        from: "  if (position < purgedPosition) throw new ClienteleError('cursor_expired')\n",
        to: '',
      },
    ],
  },
  {
    said: ["`user.erased` and `user.exported` contain only the user's id."],
    test: {
      file: 'personal-data/erasure',
      name: 'leaves no byte of name, addresses, roles and metadata, and every event',
    },
    broken: [
      {
        file: 'core/src/capabilities/personal-data/erase-user.ts',
        from: '  await findUser(services, call, userId)\n',
        to: '  const { user } = await findUser(services, call, userId)\n',
      },
      {
        file: 'core/src/capabilities/personal-data/erase-user.ts',
        from: "'user.erased', userId, {})",
        to: "'user.erased', userId, { email: user.email } as never)",
      },
    ],
  },
  {
    said: ['You can start with one and move to the other.'],
    test: { file: 'import/import', name: 'an export can be imported, in order, with hashes' },
    broken: [
      {
        file: 'core/src/capabilities/import-export/sql/select-whole-users.ts',
        from: ".orderBy('u.id')",
        to: ".orderBy('u.id', 'desc')",
      },
    ],
  },
  {
    said: ['prints its API key, which is shown only this once'],
    test: {
      file: 'server/standalone-server',
      name: 'the printed curl command works, and the key is printed once',
    },
    broken: [
      {
        file: 'cli/src/server/announce.ts',
        from: "'To make an API key: npx",
        to: "'cu_live_again. To make an API key: npx",
      },
    ],
  },
  {
    said: ['`actor` says who acted: an API key, the user (by password, code or token)'],
    test: {
      file: 'inputs/calls',
      name: 'a user is the actor of requests with their own password or token, whatever API key is used',
    },
    broken: [
      {
        file: 'core/src/base/call/call.ts',
        from: "return { ...call, actor: { type: 'user', id: userId } }",
        to: 'return userId === undefined ? call : { ...call }',
      },
    ],
  },
]
