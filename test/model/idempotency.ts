import fc from 'fast-check'
import type { Answer } from './state.ts'
import type { Plan } from './step.ts'
import { addUser, emails, type NewUser, names, passwords } from './users.ts'

// The rule: a request with a key acts once. For a day its repeats get the first answer; another request with this key is
// refused; a request that failed has left nothing.

const keptMs = 24 * 3600_000
const keys = fc.constantFrom('one', 'two')

function createOnce(key: string, input: NewUser): Plan {
  return (service, number) => ({
    words: `create ${JSON.stringify(input)} with the key ${key}`,
    ask: async () => {
      const headers = { 'idempotency-key': key }
      const reply = await service.send('POST', '/client/user', input, headers)
      const isReplayed = reply.headers['idempotent-replayed'] === 'true'
      return { ...service.readUser(reply, `user${number}`), ...(isReplayed && { isReplayed }) }
    },
    expect: (state): Answer => {
      const kept = state.replies[key]
      // The address is compared as it is stored.
      const content = JSON.stringify({ ...input, email: input.email.trim().toLowerCase() })
      if (kept !== undefined && kept.expiresAt > state.now) {
        if (kept.content !== content) return { status: 422, code: 'idempotency_key_reused' }
        return { ...kept.answer, isReplayed: true }
      }
      const answer = addUser(state, `user${number}`, input)
      const expiresAt = state.now + keptMs
      if (answer.status === 201) state.replies[key] = { content, answer, expiresAt }
      return answer
    },
  })
}

export const idempotencyPlans: readonly fc.WeightedArbitrary<Plan>[] = [
  {
    weight: 6,
    arbitrary: fc
      .tuple(keys, fc.record({ email: emails, name: names, password: passwords }))
      .map(([key, input]) => createOnce(key, input)),
  },
]
