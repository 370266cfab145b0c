import type { NotTestable } from './promise.ts'

/** Sentences of the documents without a behaviour that a test could find broken, and why. */
export const notTestable: readonly NotTestable[] = [
  {
    said: [
      'Report a vulnerability privately to the maintainers',
      'Say what an attacker can do, in which version, and how to try it.',
      'Use your own installation and your own data.',
    ],
    reason: 'It says how to report.',
  },
  {
    said: [
      '**Within 72 hours** a maintainer answers you.',
      'The report may be in any form',
      '**At most 90 days** after your report we publish an advisory',
      'It appears earlier if a fix is released',
      'If 90 days are not enough, we agree on a date with you.',
      '**Fixes** are made for the newest version.',
      'An advisory names the versions that have the vulnerability',
    ],
    reason: 'The maintainers promise it, not the code.',
  },
  {
    said: ['Each package says on npm which commit and which run of the release made it'],
    reason:
      'npm writes it at the release: test/package/workflows tests that the workflow asks for it, and has no token instead.',
  },
  {
    said: ['[`test/promises`](test/promises) names the test of each promise'],
    reason: 'It says where the proof is.',
  },
  {
    said: ['Assets: password hashes, API keys, signing keys, sessions'],
    reason: 'It says what is protected from which attackers; the guarantees say how.',
  },
  {
    said: [
      '**The scope `webhooks:write`** gives more than its name says',
      'So do `events:read`, for the users in the events, and `users:read`, for the events of a person (`export`).',
      'A key with `users:write` reads any user, because a change is answered with the user, and acts as any user',
    ],
    reason: 'It warns of what the scope gives: a guard would give less.',
  },
  {
    said: [
      'Such a key creates, changes, deactivates and deletes the users of its account, sets their passwords, and gives them roles: give it only to the identity provider of the account.',
    ],
    reason: 'It warns of what the scope `scim` gives.',
  },
  {
    said: ['A hash of 256 random bits cannot be guessed.'],
    reason: 'Arithmetic.',
  },
  {
    said: [
      'This also holds for an old address that the user has not proved',
      'So let your users verify their address when they register',
      "So an owner who confirms a stranger's registration also confirms the stranger's password",
      'If private addresses are allowed, a look-up occupies a thread until it is answered',
      'It needs neither `events:read` nor `users:read` for that.',
      'Give this scope only to keys that may read all users.',
      'An observer who compares can detect four cases',
      'It does not detect that the whole database is an older copy',
    ],
    reason: 'It says where a promise ends.',
  },
  {
    said: [
      'An address that an import marks as verified ends nothing',
      'Events say that an operator acted, not which one.',
    ],
    reason: 'Nothing is done there: no guard can be switched off.',
  },
  {
    said: ['**The event loop** stays free for others.'],
    reason: 'The sum of the sentences behind it, which have entries.',
  },
  {
    said: ['PostgreSQL keeps this promise unless [`synchronous_commit` is off]'],
    reason: 'PostgreSQL decides it.',
  },
  {
    said: ['## What another caller can cost you'],
    reason:
      'test/faults/attack-kit.test.ts measures it on a machine that does nothing else. The guards behind it have entries of ' +
      'their own.',
  },
  {
    said: ['## Attacked'],
    reason: 'It says what was tried; the guarantees say what is promised, each with its test.',
  },
  { said: ['## Not guaranteed'], reason: 'It says what is not promised.' },
  {
    said: [
      '**Do not use it** if you need',
      '**Not released yet:** `npx clientele`, `npm create clientele`',
    ],
    reason: 'It says what Clientele is, and for whom; the reference says how it behaves.',
  },
  {
    said: ['**A console** in the browser', '![The console: users over time'],
    reason: 'A picture.',
  },
  {
    said: ['In a clone of this repository, with npm and Node 20 or newer'],
    reason: 'test/package/shell-blocks runs the blocks; .ci/run runs both commands in a clone.',
  },
  {
    said: ['## In your application'],
    reason: 'test/package/tarballs installs what it says, and runs the program.',
  },
  {
    said: ['## Beside others'],
    reason: 'It says what documents of others say; the page of the comparison names them.',
  },
  {
    said: ['## Figures'],
    reason: 'Measured by test/bench; figures differ between machines.',
  },
  {
    said: ['## Where to go next'],
    reason: 'Links, which test/package/readme follows.',
  },
  {
    said: ['The feed is the audit log.'],
    reason: 'It names other pages.',
  },
]
