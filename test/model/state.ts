/**
 * What the model knows of one account. A name stands for what the service makes up: `user3` is the user that step 3
 * made, whatever its id. Times are milliseconds.
 */
export interface State {
  now: number
  users: Record<string, User>
  sessions: Record<string, Session>
  tokens: Record<string, Token>
  challenges: Record<string, Challenge>
  replies: Record<string, KeptReply>
  /** Type and subject, in the order in which they were written */
  events: string[]
}

export interface User {
  email: string
  name: string
  isActive: boolean
  password: string
  version: number
  factor?: Factor
}

export interface Session {
  user: string
  /** How often it was refreshed; its latest refresh token has this number. */
  refreshes: number
  refreshedAt: number
  expiresAt: number
  endsAt: number
}

/** An access token */
export interface Token {
  user: string
  session: string
  /** Seconds since the epoch */
  expiresAt: number
}

/** An authenticator app */
export interface Factor {
  secret: string
  isConfirmed: boolean
  /** The time step of the last code that was used */
  lastStep: number
  recoveryCodes: string[]
}

/** A sign-in that waits for the second factor */
export interface Challenge {
  user: string
  expiresAt: number
  tries: number
}

/** The kept answer of a request with an idempotency key */
export interface KeptReply {
  content: string
  answer: Answer
  expiresAt: number
}

/** An answer of the service, in the names of the model. */
export type Answer = { status: number; code?: string } & Record<string, unknown>

export function emptyState(now: number): State {
  return { now, users: {}, sessions: {}, tokens: {}, challenges: {}, replies: {}, events: [] }
}

/** Ends what was opened with a user's password. */
export function endSessions(state: State, user: string): void {
  for (const [name, session] of Object.entries(state.sessions))
    if (session.user === user) delete state.sessions[name]
  endChallenges(state, user)
}

export function endChallenges(state: State, user: string): void {
  for (const [name, challenge] of Object.entries(state.challenges))
    if (challenge.user === user) delete state.challenges[name]
}

/** Whoever has the address, in whatever spelling */
export function findByEmail({ users }: State, email: string): [string, User] | undefined {
  return Object.entries(users).find(([, user]) => user.email === normalEmail(email))
}

export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}
