/** Files that read the declarations of the packages, which take half a minute to build. */
const declarationTests = ['package/types', 'users/typed-users']

/**
 * Files that start many processes, wait for time to pass, or hash much: three quarters of the time of all tests. `npm test` leaves
 * them out and says so; `.ci/run` runs them, and so does `npm test -- name`.
 */
export const slowTests: readonly string[] = [
  ...declarationTests,
  'browser/open-page',
  'cli/access',
  'cli/account-passkeys',
  'cli/colours',
  'cli/events',
  'cli/export',
  'cli/issuers',
  'client/retries',
  'clocks/clock-went-back',
  'console/browser-operators',
  'console/browser-person',
  'console/browser-session',
  'console/browser-transfer',
  'console/browser-troubles',
  'console/browser-users',
  'events/feed-processes',
  'faults/event-loop',
  'faults/fair-hashing',
  'faults/large-deletions',
  'faults/outbound-thread',
  'faults/poolers',
  'faults/processes',
  'faults/sqlite-reader',
  'faults/swallowed-packets',
  'histories/failover',
  'histories/switched-off',
  'http/oauth-examples',
  'import/columns',
  'import/interrupt',
  'keys/hostile-issuers',
  'keys/many-accounts',
  'keys/remote-jwks',
  'keys/stored-hashes',
  'mfa/guards',
  'mfa/revoked-credentials',
  'model/guards',
  'package/examples',
  'package/exports',
  'package/loading',
  'package/nest-example',
  'package/node-version',
  'package/patterns',
  'package/recipes',
  'package/tarballs',
  'passkeys/browser',
  'personal-data/unread-feed',
  'power/recorded-writes',
  'repository/distribute',
  'repository/list-plans',
  'repository/one-account',
  'repository/read-replica',
  'repository/record-plans',
  'repository/stale-statistics',
  'scim/abandoned-changes',
  'scim/hostile-requests',
  'scim/large-groups',
  'server/mail-templates',
  'server/old-generation',
  'server/smtp',
  'server/standard-error',
  'server/workers',
  'sessions/hashing-turns',
  'sessions/silent-redis',
  'sign-in/browser',
  'sign-in/cookies-guide',
  'testing/guide',
  'validator/hostile-tokens',
  'verifiers/verifiers',
  'webhooks/deliverers',
  'webhooks/slow-endpoints',
  'website/quick-starts',
  'website/site',
]

/** Whether every combination is to be run. */
export const runsEveryTest = process.env.EVERY_TEST === 'true'

/** Files that measure how long one account waits for another: they need the machine for themselves. */
export const loneTests: readonly string[] = ['faults/attack-kit']

const leavesOutSlow = process.env.LEAVE_OUT_SLOW === 'true'

/** The files that are not run, as patterns. */
export const leftOut: readonly string[] = [
  ...(leavesOutSlow ? slowTests : []),
  ...(leavesOutSlow || runsEveryTest ? loneTests : []),
].map((name) => `${name}.test.ts`)
