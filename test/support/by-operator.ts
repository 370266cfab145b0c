import { expect } from 'vitest'

/** The origin in events of an in-process call without an actor. */
export const byOperator = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  createdAt: expect.any(Date),
  actor: { type: 'operator', id: null },
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
}
