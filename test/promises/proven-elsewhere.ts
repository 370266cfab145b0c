import type { PromiseProvenElsewhere } from './promise.ts'

/** Promises whose guards `test/model/guards.test.ts` and `test/histories/switched-off.test.ts` switch off. */
export const provenElsewhere: readonly PromiseProvenElsewhere[] = [
  {
    said: [
      "Changing the password, deactivating or deleting a user ends that user's tokens at once.",
    ],
    by: 'model',
    guard: 'sessions end with the password',
  },
  {
    said: ['work once, enforced by one conditional write each'],
    by: 'model',
    guard: 'a recovery code is used once',
  },
  {
    said: ['and ends when the password changes'],
    by: 'model',
    guard: 'a challenge ends with the password',
  },
  {
    said: ['**Stolen refresh tokens** end their session when they are used a second time'],
    by: 'model',
    guard: 'the second use of a refresh token ends its session',
  },
  {
    said: ['every committed change has an event, written in the same transaction'],
    by: 'model',
    guard: 'a new user has an event',
  },
  {
    said: ['The entry is valid for 24 hours'],
    by: 'model',
    guard: 'a key is kept for a day',
  },
  {
    said: [
      'a request with the same key and the same input changes nothing and gets the first response again',
    ],
    by: 'model',
    guard: 'a key is looked up',
  },
  {
    said: ['The same key with different input is 422 `idempotency_key_reused`.'],
    by: 'model',
    guard: 'a key belongs to one request',
  },
  {
    said: ['PUT, PATCH and DELETE succeed only for that version'],
    by: 'model',
    guard: 'If-Match is compared with the version that is read',
  },
  {
    said: [
      'It skips no event, and the events of one user are in order.',
      'Each change and its event are one write: no event is lost or skipped.',
    ],
    by: 'histories',
    guard: 'events are ordered by the clocks of the servers',
  },
  {
    said: ['The feed of an account contains each event once'],
    by: 'histories',
    guard: 'a cursor stands before the event that was read',
  },
  {
    said: ['Every change, and every successful or failed sign-in, is an event.'],
    by: 'histories',
    guard: 'a change has no event',
  },
]
