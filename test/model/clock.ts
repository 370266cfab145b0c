import fc from 'fast-check'
import type { Plan } from './step.ts'

// The rule: time alone changes nothing that is stored, and what has expired may be deleted at any time.

/** Seconds: within and after the second use of a refresh token, a code, a challenge, a token, a key, a session */
const pauses = fc.constantFrom(1, 11, 30, 301, 7_200, 86_400, 31 * 86_400)
/** The sweeper leaves what another process with a clock behind may still use. */
const lateMs = 10_000

function wait(seconds: number): Plan {
  return ({ clock }) => ({
    words: `wait ${seconds} s`,
    ask: async () => {
      clock.now += seconds * 1000
      return { status: 0 }
    },
    expect: (state) => {
      state.now += seconds * 1000
      return { status: 0 }
    },
  })
}

const sweep: Plan = (service) => ({
  words: 'sweep',
  ask: async () => {
    await service.sweep()
    return { status: 0 }
  },
  expect: ({ sessions, now }) => {
    for (const [name, { expiresAt }] of Object.entries(sessions))
      if (expiresAt <= now - lateMs) delete sessions[name]
    return { status: 0 }
  },
})

export const clockPlans: readonly fc.WeightedArbitrary<Plan>[] = [
  { weight: 4, arbitrary: pauses.map(wait) },
  { weight: 1, arbitrary: fc.constant(sweep) },
]
