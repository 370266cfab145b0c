import { expect } from 'vitest'

/** What events say of a call in process that names nobody. */
export const byOperator = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  createdAt: expect.any(Date),
  actor: { type: 'operator', id: null },
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
}
