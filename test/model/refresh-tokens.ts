import type fc from 'fast-check'
import { giveTokens, readTokens, sessionMs, sessionOf } from './sessions.ts'
import type { Answer, State } from './state.ts'
import type { Plan } from './step.ts'
import { choices } from './users.ts'

// The rule: a refresh token works once. For ten seconds more it gives the same successor, for clients whose answer was
// lost; used later, it was stolen, and its session ends.

const reuseMs = 10_000

const refused: Answer = { status: 401, code: 'refresh_token_invalid' }

function refresh(choice: number): Plan {
  return (service, number) => {
    const token = service.pick('refresh', choice)
    if (token === undefined) return undefined
    const place = Number(token.split('.')[1])
    const successor = token.replace(/\d+$/, String(place + 1))
    const sent = { refresh_token: service.valueOf(token) }
    return {
      words: `refresh with ${token}`,
      ask: async () => {
        const reply = await service.send('POST', '/client/user/auth/refresh', sent)
        return readTokens(service, reply, number, successor)
      },
      expect: (state) => {
        const isGiven = useUp(state, sessionOf(token), place)
        return isGiven ? giveTokens(state, sessionOf(token), number, successor) : refused
      },
    }
  }
}

function useUp(state: State, name: string, place: number): boolean {
  const session = state.sessions[name]
  if (session === undefined || !state.users[session.user]?.isActive) return false
  if (place === session.refreshes) {
    if (session.expiresAt <= state.now) return false
    session.refreshes++
    session.refreshedAt = state.now
    session.expiresAt = Math.min(state.now + sessionMs, session.endsAt)
    return true
  }
  const isLast = place === session.refreshes - 1
  if (isLast && state.now - session.refreshedAt <= reuseMs) return session.expiresAt > state.now
  delete state.sessions[name]
  state.events.push(`session.reuse_detected ${session.user}`)
  return false
}

export const refreshTokenPlans: readonly fc.WeightedArbitrary<Plan>[] = [
  { weight: 12, arbitrary: choices.map(refresh) },
]
