import { signal } from '@preact/signals'
import { Problem, toProblem } from '../api/problem.ts'
import { onSessionEnded, send } from '../api/request.ts'
import { english } from '../english.ts'
import { letLeave } from '../routing/leaving.ts'
import { navigate, readLink, takeLink } from '../routing/route.ts'
import { toast } from '../ui/toasts.tsx'

export type Scope =
  | 'users:read'
  | 'users:write'
  | 'tokens:validate'
  | 'tokens:issue'
  | 'events:read'
  | 'webhooks:write'
  | 'users:impersonate'
  | 'scim'

/** The signed-in person. */
export interface Session {
  kind: 'operator' | 'account'
  name: string
  /** The account whose key opened it; null: an operator, who sees all */
  account: { id: string; name: string } | null
  scopes: readonly Scope[]
  /** Whether the host has an `authorize` function for operators */
  can_authorize: boolean
  /** Null if the host authorizes the operator, which it does with each request */
  expires_at: string | null
}

export type SessionState =
  | { phase: 'starting' }
  | { phase: 'signed-out'; problem?: Problem }
  /** `problem`: the error of a link that was opened meanwhile */
  | { phase: 'signed-in'; session: Session; problem?: Problem }
  /** The page stays as it is, with all input, until the user signs in again */
  | { phase: 'ended'; session: Session; problem?: Problem }

export const sessionState = signal<SessionState>({ phase: 'starting' })

/** Finds the session of the browser, or opens one with a one-time link: now, and later when a link is opened in this tab. */
export function startSession(): void {
  const link = takeLink()
  let last = link === undefined ? readSession() : openLink(link)
  addEventListener('hashchange', () => {
    const opened = takeLink()
    if (opened !== undefined) last = last.then(() => openLink(opened))
  })
}

async function readSession(): Promise<void> {
  try {
    const { data } = await send<Session>('session', {})
    sessionState.value = { phase: 'signed-in', session: data }
  } catch (error) {
    const problem = toProblem(error)
    const isMissing = problem.code === 'console_session_missing'
    sessionState.value = { phase: 'signed-out', ...(!isMissing && { problem }) }
  }
}

async function openLink(link: string): Promise<void> {
  try {
    const isSignedIn = sessionState.value.phase === 'signed-in'
    if ((await openSession({ link })) && isSignedIn) toast(english.signIn.linkOpened)
  } catch (error) {
    const problem = toProblem(error)
    const { value } = sessionState
    sessionState.value =
      value.phase === 'starting' ? { phase: 'signed-out', problem } : { ...value, problem }
  }
}

/** Opens a session with the typed text: an API key or a one-time link. */
export async function signIn(typed: string): Promise<void> {
  const text = typed.trim()
  const link = readLink(text)
  await openSession(link === undefined ? { api_key: text } : { link })
}

/** Opens a session again by the host's `authorize`. A different person does not get the open page. */
export async function askHost(): Promise<void> {
  const { data } = await send<Session>('session', { method: 'POST', body: {} })
  if (isAnother(data)) {
    const detail = english.signIn.another(data.name)
    throw new Problem({ status: 403, code: 'another_person', detail })
  }
  enter(data)
}

/** Returns false if a different person signed in, who starts with a new page. */
async function openSession(body: object): Promise<boolean> {
  const { data } = await send<Session>('session', { method: 'POST', body })
  if (isAnother(data)) {
    // The page still shows the data of the previous person.
    letLeave()
    goHome()
    return false
  }
  enter(data)
  return true
}

function enter(session: Session): void {
  sessionState.value = { phase: 'signed-in', session }
  for (const resume of waiting.splice(0)) resume()
}

/** Forgets the error of a link after the page has shown it. */
export function forgetProblem(): void {
  const { value } = sessionState
  if (value.phase === 'signed-in')
    sessionState.value = { phase: 'signed-in', session: value.session }
}

export async function signOut(): Promise<void> {
  await send('session', { method: 'DELETE' })
  goHome()
}

function goHome(): void {
  navigate('#/', { replace: true })
  location.reload()
}

/** Whether a session belongs to a different person than the page's session. */
function isAnother({ kind, account, ...now }: Session): boolean {
  const { value } = sessionState
  if (!('session' in value)) return false
  const { session } = value
  // The host tells its operators apart; a link does not say who opens it.
  const areNamed = session.expires_at === null && now.expires_at === null
  if (areNamed && session.name !== now.name) return true
  return session.kind !== kind || session.account?.id !== account?.id
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
