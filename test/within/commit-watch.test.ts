import { expect, test, vi } from 'vitest'
import { CommitWatch } from '../../packages/core/src/clientele/commit-watch.ts'
import type { HostTransaction } from '../../packages/core/src/sql/host-transaction.ts'
import { someEvent } from '../support/some-event.ts'

test('events of transactions that have ended are published without a wait for each of them', async () => {
  const told: string[] = []
  const watch = new CommitWatch({
    events: { has: async () => true },
    emit: ({ id }) => void told.push(id),
    logger: { info() {}, warn() {}, error() {} },
  })
  // Only its outcome is asked for.
  const committed = { follow: () => async () => 'committed' } as unknown as HostTransaction
  const events = Array.from({ length: 100 }, () => someEvent('account'))
  const waits = vi.spyOn(globalThis, 'setTimeout')
  const handle = {}
  for (const event of events) watch.add(handle, committed, [{ event, user: undefined }])
  await vi.waitFor(() => expect(told).toHaveLength(100))
  expect(told).toEqual(events.map(({ id }) => id))
  const ofEvents = waits.mock.calls.filter(([, milliseconds]) => milliseconds === 2)
  expect(ofEvents.length).toBeLessThan(10)
  watch.close()
})
