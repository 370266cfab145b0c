/** Files that read the declarations of the packages, which take half a minute to build. */
const declarationTests = ['package/types', 'users/typed-users']

/**
 * Files that start many processes, wait for time to pass, or hash much: half of the time of all tests. `npm test` leaves
 * them out and says so; `.ci/run` runs them, and so does `npm test -- name`.
 */
export const slowTests: readonly string[] = [
  ...declarationTests,
  'client/retries',
  'cli/access',
  'cli/account-passkeys',
  'cli/events',
  'cli/export',
  'cli/issuers',
  'console/browser-person',
  'console/browser-transfer',
  'events/feed-processes',
  'faults/event-loop',
  'faults/fair-hashing',
  'faults/swallowed-packets',
  'import/columns',
  'import/interrupt',
  'keys/hostile-issuers',
  'keys/stored-hashes',
  'package/examples',
  'package/nest-example',
  'package/node-version',
  'package/patterns',
  'package/tarballs',
  'package/user-fields',
  'server/smtp',
  'server/workers',
  'testing/guide',
  'webhooks/deliverers',
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
