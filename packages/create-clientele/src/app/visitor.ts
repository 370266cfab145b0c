import { ClienteleError, type ClientUser, type SignedIn } from '@clientele/core'
import { accountId } from './account.ts'
import { clientele } from './clientele.ts'

export interface Cookie {
  name: string
  /** Empty: the browser removes it */
  value: string
  maxAgeSeconds: number
}

export type SentCookies = Record<string, string | undefined>

export interface Visitor {
  user: ClientUser | undefined
  cookies: Cookie[]
}

/** No script of a page reads these cookies, and a form of another site is sent without them. */
export const cookieOptions = {
  httpOnly: true,
  sameSite: 'lax',
  secure: process.env.NODE_ENV === 'production',
  path: '/',
} as const

export function sessionCookies(signedIn: SignedIn): Cookie[] {
  const { token, expiresIn, refreshToken, refreshExpiresIn } = signedIn
  return [
    { name: 'token', value: token, maxAgeSeconds: expiresIn },
    { name: 'refresh_token', value: refreshToken, maxAgeSeconds: refreshExpiresIn },
    { name: 'challenge', value: '', maxAgeSeconds: 0 },
  ]
}

export const noSession: Cookie[] = ['token', 'refresh_token', 'challenge'].map((name) => {
  return { name, value: '', maxAgeSeconds: 0 }
})

/** Finds the user of a request by its cookies, and the cookies to set when the session was renewed or has ended. */
export async function findVisitor(cookies: SentCookies): Promise<Visitor> {
  const { token, refresh_token: refreshToken } = cookies
  if (token) {
    const valid = await unlessRefused(clientele.auth.validateToken(accountId, token))
    if (valid?.user) return { user: valid.user, cookies: [] }
  }
  if (!refreshToken) return { user: undefined, cookies: token ? noSession : [] }
  // The token has expired. Within ten seconds the same refresh token gives the same tokens: two tabs do no harm.
  const renewed = await unlessRefused(clientele.auth.refresh(accountId, { refreshToken }))
  if (renewed === undefined) return { user: undefined, cookies: noSession }
  return { user: renewed.user, cookies: sessionCookies(renewed) }
}

/** Undefined: what a browser sent was refused. */
export async function unlessRefused<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    // Not valid, or not a token at all: another program on this host may have set such a cookie.
    if (error instanceof ClienteleError && (error.status === 401 || error.status === 422))
      return undefined
    throw error
  }
}

/** Whether a form comes from a page of this site. Browsers say so in `Sec-Fetch-Site`, old ones in `Origin`. */
export function isOwnForm(headers: Record<string, string | string[] | undefined>): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin, host } = headers
  return typeof origin !== 'string' || URL.parse(origin)?.host === host
}
