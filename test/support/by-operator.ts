import { expect } from 'vitest'

/** What events say of a call in process that names nobody. */
export const byOperator = {
  actor: { type: 'operator', id: null },
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
}
