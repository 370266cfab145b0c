import fc from 'fast-check'
import { failedSignIn } from './sessions.ts'
import type { Plan } from './step.ts'

// The rule: each change, and each sign-in that succeeds or fails, is in the feed once, in order, with its subject; what
// was refused is not.

const types = 'user.*,session.*,two_factor.*'
const pageSize = 7

interface FeedPage {
  data: { type: string; subject: { id: string | null } }[]
  next_cursor: string
  has_more: boolean
}

export const readFeed: Plan = (service) => ({
  words: 'read the feed',
  ask: async () => {
    const events: string[] = []
    for (let after = ''; ; ) {
      const path = `/client/event?type=${encodeURIComponent(types)}&limit=${pageSize}${after}`
      const { status, body } = await service.send('GET', path)
      if (status !== 200) return { status }
      const { data, next_cursor, has_more } = body as unknown as FeedPage // as the operation is documented
      for (const { type, subject } of data)
        events.push(type === failedSignIn ? type : `${type} ${service.known(subject.id)}`)
      if (!has_more) return { status, events }
      after = `&after=${encodeURIComponent(next_cursor)}`
    }
  },
  expect: ({ events }) => ({ status: 200, events: [...events] }),
})

export const eventPlans: readonly fc.WeightedArbitrary<Plan>[] = [
  { weight: 1, arbitrary: fc.constant(readFeed) },
]
