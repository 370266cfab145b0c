import type { ProvenPromise } from './promise.ts'

export const promisesOfData: readonly ProvenPromise[] = [
  {
    said: [
      'entries that were stored while it was more than an hour ahead (a day, for sessions) expire',
    ],
    test: {
      file: 'clocks/clock-went-back',
      name: 'a mailed token and a challenge of that time are over',
    },
    broken: [
      {
        file: 'core/src/base/runtime/latest-end.ts',
        from: 'return now + lastsMs + maxSetBackMs',
        to: 'return Number.MAX_SAFE_INTEGER - (now + lastsMs) * 0',
      },
    ],
  },
  {
    said: ['After a jump ahead nothing expired is deleted for an hour.'],
    test: { file: 'clocks/sweeper', name: 'deletes nothing while the clock is ahead by' },
    broken: [
      {
        file: 'core/src/clientele/sweeper.ts',
        from: 'if (!(await this.#isSteady())) return',
        to: 'await this.#isSteady()',
      },
    ],
  },
  {
    said: ["every process uses the server's time if its own differs by more than a second"],
    test: { file: 'clocks/database-clock', name: 'is corrected if it is ahead by' },
    broken: [
      {
        file: 'core/src/clientele/database-clock.ts',
        from: 'this.#correctionMs = correctionMs\n',
        to: 'this.#correctionMs = 0 * correctionMs\n',
      },
    ],
  },
  {
    said: ['never the password or its hash'],
    test: {
      file: 'idempotency/idempotency',
      name: 'the stored response has neither the password nor its hash',
    },
    broken: [
      {
        file: 'core/src/capabilities/idempotency/answer-once.ts',
        from: 'act({ operation, key, digest, now, expiresAt: now + keptMs })',
        to: 'act({ operation, key, digest: digest + content, now, expiresAt: now + keptMs })',
      },
    ],
  },
  {
    said: [
      'sign-ins and resets with unknown e-mails write at most 100 events per hour and account; a revoked',
      'Unauthenticated callers can trigger three of these',
    ],
    test: {
      file: 'events/refusals',
      name: 'unknown e-mails cause a limited number of events over all processes; users are not limited',
    },
    broken: [
      {
        file: 'core/src/capabilities/rate-limits/event-limits.ts',
        from: 'return isKnown || count <= points',
        to: 'return isKnown || count <= points * 1_000',
      },
    ],
  },
  {
    said: ['a revoked or expired API key writes one per minute'],
    test: {
      file: 'events/refusals',
      name: 'a revoked key that is still used causes one event a minute, over all processes',
    },
    broken: [
      {
        file: 'core/src/capabilities/rate-limits/event-limits.ts',
        from: 'minuteSeconds = 60',
        to: 'minuteSeconds = 1',
      },
    ],
  },
  {
    said: ['a keyed hash chain detects entries that were changed, moved, removed or inserted'],
    test: { file: 'events/chain', name: 'moved entries and a closed gap are reported' },
    broken: [
      {
        file: 'core/src/capabilities/events/verify-feed.ts',
        from: 'if (fault !== undefined) this.#note(fault, position, position, id)\n',
        to: 'if (fault === undefined) this.result.verified += 0\n',
      },
    ],
  },
  {
    said: ['contain no stack, SQL, secret, or value from the request'],
    test: {
      file: 'http/node-listener',
      name: "an error in an option's function is logged and not shown to the caller",
    },
    broken: [
      {
        file: 'core/src/http/render-error.ts',
        from: "return new ClienteleError('internal_error')",
        to: "return new ClienteleError('internal_error', String(error instanceof Error ? error.stack : error))",
      },
    ],
  },
  {
    said: ['are created readable by their owner only'],
    test: {
      file: 'faults/sqlite-file',
      name: 'only the owner can read the file, its log and its index',
    },
    broken: [
      {
        file: 'core/src/sql/sqlite/file.ts',
        from: "openSync(filename, 'wx', 0o600)",
        to: "openSync(filename, 'wx', 0o644)",
      },
      { file: 'core/src/sql/sqlite/file.ts', from: '      chmodSync(name, 0o600)\n', to: '' },
    ],
  },
  {
    said: ['a write notices it at once'],
    test: {
      file: 'faults/sqlite-file',
      name: 'a moved file: writes are refused at once, reads soon; moved back, both work again',
    },
    broken: [
      {
        file: 'core/src/sql/sqlite/file.ts',
        from: 'this.#isThere = identify(this.#path) === this.#opened',
        to: 'this.#isThere = true',
      },
    ],
  },
  {
    said: ['other operations within a second'],
    test: { file: 'faults/sqlite-file', name: 'reads alone notice a moved file, too' },
    broken: [
      {
        file: 'core/src/sql/sqlite/file.ts',
        from: 'freshForMs = 1000',
        to: 'freshForMs = 100_000',
      },
    ],
  },
  {
    said: ['are overwritten in the file (`secure_delete = ON`)'],
    test: {
      file: 'personal-data/erasure',
      name: 'leaves no byte of name, addresses, roles and metadata, and every event',
    },
    broken: [
      {
        file: 'core/src/sql/sqlite/driver.ts',
        from: 'secure_delete = ON',
        to: 'secure_delete = OFF',
      },
    ],
  },
  {
    said: ['an acknowledged write survives a power cut'],
    test: {
      file: 'power/recorded-writes',
      name: 'from recorded writes and syncs, each state after a power cut is sound and has all acknowledged steps (needs strace)',
    },
    broken: [
      {
        file: 'core/src/sql/sqlite/driver.ts',
        from: 'synchronous = FULL',
        to: 'synchronous = OFF',
      },
    ],
  },
  {
    said: [
      'The folders that Clientele creates and the `.secret` file are on disk before they are used.',
    ],
    test: {
      file: 'power/folder-syncs',
      name: 'a folder and the secret have their names on disk before they are relied on',
    },
    broken: [{ file: 'core/src/sql/sqlite/folders.ts', from: '  syncFolder(above)\n', to: '' }],
  },
  {
    said: ['A sign-in above that limit takes the same number of writes.'],
    test: {
      file: 'events/equal-writes',
      name: 'are as many if no more events are written: a failed sign-in',
    },
    broken: [
      {
        file: 'core/src/capabilities/events/append-typed-email.ts',
        from: "await repository.rateLimits.add(accountId, 'unwritten-event', 1, clock(), clock() + 60_000)",
        to: 'clock()',
      },
    ],
  },
]
