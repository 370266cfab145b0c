import { signal } from '@preact/signals'
import { Problem } from '../api/problem.ts'
import { onSessionEnded, send } from '../api/request.ts'
import { navigate } from '../routing/route.ts'

export type Scope =
  | 'users:read'
  | 'users:write'
  | 'tokens:validate'
  | 'tokens:issue'
  | 'events:read'
  | 'webhooks:write'

/** Who is at the page. */
export interface Session {
  kind: 'operator' | 'account'
  name: string
  /** The account whose key opened it; null: an operator, who sees all */
  account: { id: string; name: string } | null
  scopes: readonly Scope[]
  /** Whether the host vouches for operators by itself */
  can_authorize: boolean
  expires_at: string
}

export type SessionState =
  | { phase: 'starting' }
  | { phase: 'signed-out'; problem?: Problem }
  | { phase: 'signed-in'; session: Session }
  /** The page stays as it is, with all that was typed, until somebody signs in again */
  | { phase: 'ended'; session: Session }

export const sessionState = signal<SessionState>({ phase: 'starting' })

/** Reads whether there is a session; a link that works once opens one. */
export async function startSession(): Promise<void> {
  const link = readLink(location.hash)
  try {
    // A link is taken out of the address before anything else can read it there.
    if (link !== undefined) navigate('#/', { replace: true })
    const { data } =
      link === undefined
        ? await send<Session>('session', {})
        : await send<Session>('session', { method: 'POST', body: { link } })
    sessionState.value = { phase: 'signed-in', session: data }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const isMissing = error.code === 'console_session_missing'
    sessionState.value = { phase: 'signed-out', ...(!isMissing && { problem: error }) }
  }
}

/** Opens a session with an API key, or with a link that works once: whichever was typed. */
export async function signIn(typed: string): Promise<void> {
  const text = typed.trim()
  const link = readLink(text)
  const body = link === undefined ? { api_key: text } : { link }
  const before = sessionState.value
  const { data } = await send<Session>('session', { method: 'POST', body })
  if (before.phase === 'ended' && !isSamePerson(before.session, data)) {
    // What the page shows is another's.
    navigate('#/', { replace: true })
    location.reload()
    return
  }
  sessionState.value = { phase: 'signed-in', session: data }
  for (const resume of waiting.splice(0)) resume()
}

export async function signOut(): Promise<void> {
  await send('session', { method: 'DELETE' })
  navigate('#/', { replace: true })
  location.reload()
}

/** What stands behind `#link=` of an address, or of a part of it. */
function readLink(text: string): string | undefined {
  return /#link=([\w-]+)$/.exec(text)?.[1]
}

function isSamePerson(one: Session, other: Session): boolean {
  return one.kind === other.kind && one.account?.id === other.account?.id
}

const waiting: (() => void)[] = []

onSessionEnded(
  () =>
    new Promise((resolve) => {
      const { value } = sessionState
      if (value.phase === 'signed-in') {
        sessionState.value = { phase: 'ended', session: value.session }
      }
      waiting.push(resolve)
    }),
)
