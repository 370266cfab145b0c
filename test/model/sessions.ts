import fc from 'fast-check'
import type { Answer as Reply } from '../support/ask.ts'
import { problemOf, type Service } from './service.ts'
import { type Answer, findByEmail, type State } from './state.ts'
import type { Plan } from './step.ts'
import { absent, choices, emails, passwords } from './users.ts'

// The rule: the right password of an active user opens a session. A token is valid for two hours, while its session
// lives; a session lives until it is signed out, unused for 30 days, 90 days old, or ended with the password.

/** Without its subject: of a user who is deleted meanwhile it may name the user, or none. */
export const failedSignIn = 'user.login_failed'

const day = 24 * 3600_000
export const sessionMs = 30 * day
const sessionMaxMs = 90 * day

/** Opens a session that the step with this number asked for. */
export function openSession(state: State, user: string, number: number): Answer {
  const session = `session${number}`
  const expiresAt = state.now + sessionMs
  const endsAt = state.now + sessionMaxMs
  state.sessions[session] = { user, refreshes: 0, refreshedAt: Number.NaN, expiresAt, endsAt }
  state.events.push(`user.logged_in ${user}`)
  return giveTokens(state, session, number, `refresh${number}.0`)
}

/** The tokens that a session gives: valid for two hours, and not for longer than the session. */
export function giveTokens(
  state: State,
  name: string,
  number: number,
  refreshToken: string,
): Answer {
  const session = state.sessions[name]
  if (session === undefined) throw new Error(`No ${name}`)
  const { user, expiresAt } = session
  const [now, end] = [Math.floor(state.now / 1000), Math.floor(expiresAt / 1000)]
  const seconds = Math.min(7200, end - now)
  state.tokens[`token${number}`] = { user, session: name, expiresAt: now + seconds }
  return { status: 200, user, token: `token${number}`, seconds, refreshToken }
}

/** The same from an answer. */
export function readTokens(
  service: Service,
  reply: Reply,
  number: number,
  refreshToken: string,
): Answer {
  if (reply.status !== 200) return problemOf(reply)
  const { data, user } = reply.body as { data: Record<string, unknown>; user: { id: string } } // as documented
  return {
    status: 200,
    user: service.known(user.id),
    token: service.nameOf('token', data.token, `token${number}`),
    seconds: data.expires_in,
    refreshToken: service.nameOf('refresh', data.refresh_token, refreshToken),
  }
}

export function signIn(email: string, password: string): Plan {
  return (service, number) => ({
    words: `sign in as ${email} with ${password}`,
    ask: async () => {
      const reply = await service.send('POST', '/client/user/auth/login', { email, password })
      if (reply.status !== 202) return readTokens(service, reply, number, `refresh${number}.0`)
      const { challenge, methods } = reply.body.data as Record<string, unknown> // as documented
      return {
        status: 202,
        challenge: service.nameOf('challenge', challenge, `challenge${number}`),
        methods,
      }
    },
    expect: (state) => {
      const [name, user] = findByEmail(state, email) ?? []
      if (name === undefined || user?.password !== password || !user.isActive) {
        state.events.push(failedSignIn)
        return { status: 401, code: 'credentials_invalid' }
      }
      if (!user.factor?.isConfirmed) return openSession(state, name, number)
      const challenge = `challenge${number}`
      state.challenges[challenge] = { user: name, expiresAt: state.now + 300_000, tries: 5 }
      const hasCodes = user.factor.recoveryCodes.length > 0
      return {
        status: 202,
        challenge,
        methods: hasCodes ? ['totp', 'recovery_code'] : ['totp'],
      }
    },
  })
}

export function validate(choice: number): Plan {
  return (service) => {
    const token = service.pick('token', choice)
    return token === undefined ? undefined : validateToken(token)(service, 0)
  }
}

export function validateToken(token: string): Plan {
  return (service) => ({
    words: `validate ${token}`,
    ask: async () => {
      const sent = { token: `Bearer ${service.valueOf(token)}` }
      const reply = await service.send('POST', '/client/user/auth/validation-token', sent)
      if (reply.status !== 200) return problemOf(reply)
      const { id } = reply.body.user as { id: string } // as documented
      return { status: 200, user: service.known(id) }
    },
    expect: (state) => {
      const { user: name = '', session = '', expiresAt = 0 } = state.tokens[token] ?? {}
      const refused = (code: string) => ({ status: 401, code })
      if (expiresAt <= Math.floor(state.now / 1000)) return refused('token_expired')
      const user = state.users[name]
      if (user === undefined) return refused('token_user_not_found')
      if (!user.isActive) return refused('token_user_inactive')
      const { expiresAt: sessionEnd = 0 } = state.sessions[session] ?? {}
      return sessionEnd > state.now ? { status: 200, user: name } : refused('token_revoked')
    },
  })
}

function signOut(choice: number): Plan {
  return (service) => {
    const token = service.pick('refresh', choice)
    if (token === undefined) return undefined
    const sent = { refresh_token: service.valueOf(token) }
    return {
      words: `sign out with ${token}`,
      ask: async () => problemOf(await service.send('POST', '/client/user/auth/logout', sent)),
      expect: (state) => {
        const session = sessionOf(token)
        const { user } = state.sessions[session] ?? {}
        if (user !== undefined) state.events.push(`user.logged_out ${user}`)
        delete state.sessions[session]
        return { status: 204 }
      },
    }
  }
}

/** `refresh7.2` is the third refresh token of the session that step 7 opened. */
export function sessionOf(refreshToken: string): string {
  return refreshToken.replace('refresh', 'session').replace(/\.\d+$/, '')
}

function listSessions(choice: number): Plan {
  return (service) => {
    const user = service.pick('user', choice)
    if (user === undefined) return undefined
    const path = `/client/user/${service.valueOf(user)}/session`
    return {
      words: `list the sessions of ${user}`,
      ask: async () => {
        const reply = await service.send('GET', path)
        if (reply.status !== 200) return problemOf(reply)
        return { status: 200, sessions: (reply.body.data as unknown[]).length } // as documented
      },
      expect: ({ users, sessions, now }) => {
        if (users[user] === undefined) return absent
        const live = Object.values(sessions).filter(
          (session) => session.user === user && session.expiresAt > now,
        )
        return { status: 200, sessions: live.length }
      },
    }
  }
}

export const sessionPlans: readonly fc.WeightedArbitrary<Plan>[] = [
  {
    weight: 5,
    arbitrary: fc.tuple(emails, passwords).map(([email, password]) => signIn(email, password)),
  },
  { weight: 4, arbitrary: choices.map(validate) },
  { weight: 1, arbitrary: choices.map(signOut) },
  { weight: 1, arbitrary: choices.map(listSessions) },
]
