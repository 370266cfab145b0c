import { randomUUID } from 'node:crypto'
import type { ClientUser } from '@clientele/client'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'

/** The site's session of a browser: the signed-in user, or a started ceremony. A real site stores it in its database. */
export interface Session {
  user?: ClientUser
  /** The user's own token */
  token?: string
  /** Ends the user's session at Clientele, too */
  refreshToken?: string
  /** The challenge of a started ceremony; the page need not see it */
  challenge?: string
}

const sessions = new Map<string, Session>()

export function findSession(c: Context): Session | undefined {
  return sessions.get(getCookie(c, 'session') ?? '')
}

/** Begins a session with a new id, so that no attacker can plant one in this browser. The old session ends. */
export function openSession(c: Context, session: Session, seconds: number): void {
  endSession(c)
  const id = randomUUID()
  // On a real site, with https, it is `secure` too.
  setCookie(c, 'session', id, { httpOnly: true, sameSite: 'Strict', maxAge: seconds })
  sessions.set(id, session)
  setTimeout(() => sessions.delete(id), seconds * 1000).unref()
}

export function endSession(c: Context): void {
  sessions.delete(getCookie(c, 'session') ?? '')
}
