import { type ClienteleOptions, createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import { expect, test } from 'vitest'

const repository = sqlite({ filename: ':memory:' })

const wrong: [options: unknown, message: RegExp][] = [
  [undefined, /^Pass an object with options: createClientele\(\{ repository \}\)\.$/],
  ['sqlite:x', /^Pass an object with options/],
  [{}, /^options\.repository must be sqlite\(…\) or postgres\(…\)\.$/],
  [{ repository: 'sqlite:x' }, /^options\.repository must be/],
  [
    { repository: openRepository('sqlite::memory:') },
    /^options\.repository must be sqlite\(…\) or postgres\(…\), and is a promise: await it\.$/,
  ],
  [
    { repository, tokenTtlSecond: 5 },
    /^options\.tokenTtlSecond is not known here \(did you mean tokenTtlSeconds\?\)\. Known names: repository, .*tokenTtlSeconds/,
  ],
  [
    { repository, tokens: { ttlSeconds: 5 } },
    /^options\.tokens is not known here \(did you mean tokenType or tokenTtlSeconds\?\)\./,
  ],
  [{ repository, tokenTtlSeconds: '5' }, /^options\.tokenTtlSeconds must be a number\.$/],
  [{ repository, tokenTtlSeconds: 1.5 }, /^options\.tokenTtlSeconds must be a whole number\.$/],
  [{ repository, signingKeyMaxAgeSeconds: 5 }, /must be at least 3600\.$/],
  [{ repository, signingAlgorithm: 'none' }, /must be one of ES256, EdDSA, RS256\.$/],
  [{ repository, secrets: 'hunter2' }, /^options\.secrets must be an array\.$/],
  ...['', 'hunter2', ' '.repeat(16), 'hunter2'.padEnd(15)].map((secret): [unknown, RegExp] => [
    { repository, secrets: ['a secret of the tests, 32 characters', secret], lazyKeys: true },
    /^options\.secrets\.1 must have at least 16 characters, 8 of them different: openssl rand -base64 32\.$/,
  ]),
  ...['', 'api.example.com', '/api/v1', 'ftp://example.com', 'https://example.com/?a=hunter2'].map(
    (publicUrl): [unknown, RegExp] => [
      { repository, publicUrl },
      /^options\.publicUrl must be an http/,
    ],
  ),
  [{ repository, environment: 'Live' }, /must be 1 to 16 letters from a to z\.$/],
  [{ repository, sendMail: 'me@example.com', clock: 5 }, /sendMail must be.*clock must be/],
  [{ repository, logger: {} }, /^options\.logger must be a logger\.$/],
  [
    { repository, passwords: { hashing: { memoryKiB: 1 } } },
    /hashing\.memoryKiB must be at least 8/,
  ],
  [{ repository, rateLimits: { login: { points: 3 } } }, /login\.windowSeconds is required\.$/],
  [
    { repository, rateLimits: { store: 'disk' } },
    /^options\.rateLimits\.store must be 'database', 'memory' or { redis: client }\.$/,
  ],
  [
    { repository, hooks: { beforeCreat() {} } },
    /^options\.hooks\.beforeCreat is not known here \(did you mean beforeCreate\?\)\.$/,
  ],
  [
    { repository, hooks: { onSignUp() {} } },
    /^options\.hooks\.onSignUp is not known here \(known names: beforeCreate, .*tokenClaims\)\.$/,
  ],
  [
    { repository, hooks: { beforeCreate: 3 } },
    /^options\.hooks\.beforeCreate must be a function\.$/,
  ],
  [{ repository, hooks: () => {} }, /^options\.hooks must be an object\.$/],
  [
    { repository, hooks: { urls: 'https://hooks.example.com', secret: 'hunter2' } },
    /^options\.hooks\.url is required\. options\.hooks\.secret must be whsec_ .*options\.hooks\.urls is not known here \(did you mean url\?\)\.$/,
  ],
  [
    { repository, hooks: { url: 'https://ada:hunter2@example.com', secret: 'hunter2' } },
    /^options\.hooks\.url must be an http or https URL without credentials.*options\.hooks\.secret must be whsec_/,
  ],
  [{ repository, audit: { chain: 'yes' } }, /^options\.audit\.chain must be/],
  [
    { repository, rateLimits: { logIn: {} } },
    /^options\.rateLimits\.logIn is not known here \(did you mean login\?\)\.$/,
  ],
]

test.each(wrong)('%j is refused before anything is opened', async (options, message) => {
  const made = createClientele(options as ClienteleOptions) // what must be refused
  const error = await made.catch((fault: unknown) => fault)
  expect(error).toMatchObject({ code: 'configuration_invalid' })
  expect(String(Reflect.get(Object(error), 'message'))).toMatch(message)
  expect(String(error)).not.toContain('hunter2')
})

const url = 'postgres://ada:hunter2@localhost/users'
const wrongDatabases: [open: () => unknown, message: string][] = [
  ...[undefined, null, 'users.sqlite'].flatMap((options): [() => unknown, string][] => [
    [
      () => Reflect.apply(sqlite, undefined, [options]),
      "Pass an object with options: sqlite({ filename: 'users.sqlite' }).",
    ],
    [
      () => Reflect.apply(postgres, undefined, [options]),
      "Pass an object with options: postgres({ connectionString: 'postgres://…' }).",
    ],
  ]),
  [() => Reflect.apply(sqlite, undefined, [{}]), 'options must have either filename or database.'],
  [
    () => Reflect.apply(sqlite, undefined, [{ file: 'x' }]),
    expect.stringMatching(
      /^options\.file is not known here\. Known names: .*filename.* options must have either filename or database\.$/,
    ),
  ],
  [
    () => Reflect.apply(sqlite, undefined, [{ database: {} }]),
    'options.database must be a better-sqlite3 connection.',
  ],
  [
    () => Reflect.apply(postgres, undefined, [{}]),
    'options must have either connectionString or pool.',
  ],
  [
    () => postgres({ connectionString: url.replace('postgres', 'mysql') }),
    'options.connectionString must begin with postgres://.',
  ],
  [
    () => Reflect.apply(postgres, undefined, [{ connectionString: url, maxConnection: 3 }]),
    expect.stringMatching(
      /^options\.maxConnection is not known here \(did you mean maxConnections\?\)\. Known names: .*maxConnections/,
    ),
  ],
  [
    () => postgres({ connectionString: url, timeLimits: { lockSeconds: 0 } }),
    'options.timeLimits.lockSeconds must be greater than 0.',
  ],
  [
    () => postgres({ connectionString: url, timeLimits: { statementSeconds: 2 ** 31 / 1000 } }),
    'options.timeLimits.statementSeconds must be at most 1000000.',
  ],
  [
    () => postgres({ connectionString: url, timeLimits: { connectionSeconds: Infinity } }),
    expect.stringMatching(/^options\.timeLimits\.connectionSeconds must be/),
  ],
  [
    () => sqlite({ filename: ':memory:', lockTimeoutSeconds: 2 ** 31 / 1000 }),
    'options.lockTimeoutSeconds must be at most 1000000.',
  ],
]

test.each(wrongDatabases)('%s: %s', (open, message) => {
  expect(open).toThrow(expect.objectContaining({ code: 'configuration_invalid', message }))
})
