import type { TestDatabase } from '../support/databases.ts'
import type { Edit } from '../support/mutated-packages.ts'
import type { RuleName } from './check-history.ts'

export interface SwitchedOffGuard {
  /** What no longer holds */
  what: string
  edits: readonly Edit[]
  /** The rule that has to find it */
  foundBy: RuleName
  database: TestDatabase['name']
  /** Whether it is switched off in the migrations, so that a database with tables does not show it */
  isInSchema?: boolean
}

/** Guards of the code, each with the text of the build that is the guard. */
export const switchedOffGuards: readonly SwitchedOffGuard[] = [
  {
    what: 'a change is written whatever the version of the row is',
    edits: [
      [
        '.where(hasVersion(value("expectedVersion"))).returning(writtenUserColumns)',
        '.returning(writtenUserColumns)',
      ],
    ],
    foundBy: 'lost updates',
    database: 'sqlite',
  },
  {
    what: 'If-Match is not compared with the version that was read',
    edits: [['expectedVersion !== null && before.version !== expectedVersion', 'false']],
    foundBy: 'lost updates',
    database: 'postgres',
  },
  {
    what: 'callers are answered before the commit',
    edits: [
      [
        'await client.query({ text: "commit" })',
        'client.query({ text: "select pg_sleep(0.05); commit" }).catch(() => {})',
      ],
    ],
    foundBy: 'wrong events',
    database: 'postgres',
  },
  {
    what: 'a look-up is answered by an earlier one',
    edits: [
      [
        'load(key, call) {',
        `load(key, call) {
          if (call === undefined) return this.loadNow(key, call);
          const name = key + JSON.stringify({ ...call, now: 0 });
          this.known ??= new Map();
          if (!this.known.has(name)) {
            this.known.set(name, this.loadNow(key, call));
            setTimeout(() => this.known.delete(name), 50);
          }
          return this.known.get(name);
        }
        loadNow(key, call) {`,
      ],
    ],
    foundBy: 'stale reads',
    database: 'postgres',
  },
  {
    what: 'a token is valid without its session',
    edits: [
      ['if (!state.hasLiveSession || state.isAccountDisabled)', 'if (state.isAccountDisabled)'],
    ],
    foundBy: 'stale reads',
    database: 'sqlite',
  },
  ...(['sqlite', 'postgres'] as const).map(
    (database): SwitchedOffGuard => ({
      what: 'an e-mail is not unique',
      edits: [
        [
          'createIndex("clientele_users_by_email").unique()',
          'createIndex("clientele_users_by_email")',
        ],
        ['.onConflict((conflict) => conflict.columns(["account_id", "email"]).doNothing())', ''],
      ],
      foundBy: 'duplicate e-mails',
      database,
      isInSchema: true,
    }),
  ),
  {
    what: 'a change has no event',
    edits: [['follow.push(recordEvent(db, { person: "changed" }));', '']],
    foundBy: 'wrong events',
    database: 'sqlite',
  },
  {
    what: 'events are ordered by the clocks of the servers',
    edits: [
      [
        /(sql\d*)\.ref\(`clientele_events\.\$\{[\w.]*insertionOrder\.name\}`\)/g,
        '$1.ref("clientele_events.id")',
      ],
    ],
    foundBy: 'wrong events',
    database: 'postgres',
  },
  {
    what: 'a cursor stands before the event that was read',
    edits: [
      ['last.position : Math.max(until, after)', 'last.position - 1 : Math.max(until, after)'],
    ],
    foundBy: 'wrong events',
    database: 'sqlite',
  },
  {
    what: 'a token is taken again while its successor is used',
    edits: [['isRecent && hashOpaqueToken(successor) === refreshTokenHash', 'isRecent']],
    foundBy: 'forked tokens',
    database: 'postgres',
  },
  {
    what: 'each use of a token makes another successor',
    edits: [
      [
        '.update("successor").update(token.secret)',
        '.update("successor").update(String(Math.random()))',
      ],
      ['.where("refresh_token_hash", "=", value("hash"))', ''],
    ],
    foundBy: 'forked tokens',
    database: 'sqlite',
  },
  {
    what: 'a webhook that failed is not repeated',
    edits: [
      [
        'isSuccess(answer) || isTest ? void 0 : findNextAttempt(attempt, now, retryAfter)',
        'void 0',
      ],
    ],
    foundBy: 'lost webhooks',
    database: 'sqlite',
  },
  {
    what: 'webhooks count as sent before they are',
    edits: [['firstOpen === void 0 ? this.#end : firstOpen - 1', 'this.#end']],
    foundBy: 'lost webhooks',
    database: 'sqlite',
  },
]
