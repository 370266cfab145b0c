import { ClienteleError, createGuard, type GuardOptions, type SignedIn } from '@clientele/core'
import { sendResponse } from '@clientele/core/node'
import { requireUser } from '@clientele/express'
import type { CookieOptions, Request, RequestHandler, Response } from 'express'
import { accountId, clientele } from '../clientele.ts'

/** `device` stays when the user signs out; the others are for one sign-in. */
type CookieName = 'token' | 'refresh' | 'device' | 'challenge' | 'mailed' | 'ceremony'

// Browsers take a secure cookie over http from localhost only, and Safari not even there.
const secure = process.env.NODE_ENV === 'production'
const options: CookieOptions = { httpOnly: true, sameSite: 'lax', secure, path: '/' }

export function setCookie(res: Response, name: CookieName, value: string, seconds: number): void {
  res.cookie(name, value, { ...options, maxAge: seconds * 1000 })
}

/** A cookie of the browser; empty: there is none. */
export function cookieOf(req: Request, name: CookieName): string {
  const value: unknown = req.cookies[name]
  return typeof value === 'string' ? value : ''
}

export function clearCookies(res: Response, ...names: CookieName[]): void {
  for (const name of names) res.clearCookie(name, options)
}

/** Begins or continues the session of this browser. */
export function keepSession(res: Response, signedIn: SignedIn): void {
  setCookie(res, 'token', signedIn.token, signedIn.expiresIn)
  setCookie(res, 'refresh', signedIn.refreshToken, signedIn.refreshExpiresIn)
  const { deviceToken, deviceExpiresIn } = signedIn
  if (deviceToken !== undefined) setCookie(res, 'device', deviceToken, deviceExpiresIn ?? 0)
  clearCookies(res, 'challenge', 'mailed', 'ceremony')
}

export function endSession(res: Response): void {
  clearCookies(res, 'token', 'refresh', 'challenge', 'mailed', 'ceremony')
}

/** Whether what the browser sent is no token, or one that is not valid (any more). */
function isRefused(error: unknown): boolean {
  return error instanceof ClienteleError && (error.status === 401 || error.status === 422)
}

async function isValid(token: string): Promise<boolean> {
  if (token === '') return false
  try {
    await clientele.auth.validateToken(accountId, token)
    return true
  } catch (error) {
    if (isRefused(error)) return false
    throw error
  }
}

/** The browser drops the token when it expires. The refresh token gets the next one. */
export const continueSession: RequestHandler = async (req, res, next) => {
  const { token: _, refresh: __, ...others } = req.cookies
  const refreshToken = cookieOf(req, 'refresh')
  if (await isValid(cookieOf(req, 'token'))) return next()
  req.cookies = others
  if (refreshToken !== '') {
    try {
      const signedIn = await clientele.auth.refresh(accountId, { refreshToken })
      keepSession(res, signedIn)
      req.cookies = { ...others, token: signedIn.token, refresh: signedIn.refreshToken }
    } catch (error) {
      if (!isRefused(error)) throw error
      endSession(res) // signed out elsewhere, or expired
    }
  }
  next()
}

const token = (req: Request) => cookieOf(req, 'token')

/** A guard for pages: a visitor whom it refuses goes to another page. `requireUser` answers with JSON, for programs. */
function pageGuard(pathOf: (req: Request) => string, rules: GuardOptions = {}): RequestHandler {
  const guard = createGuard<Request>(clientele, { ...rules, accountId, token })
  return async (req, res, next) => {
    const result = await guard(req, req)
    if (!('response' in result)) {
      Object.assign(req, result)
      next()
    } else if (result.response.status === 401) res.redirect(303, pathOf(req))
    else sendResponse(res, result.response)
  }
}

export const signedIn = pageGuard(() => '/sign-in')
/** An open browser is not enough: a second factor must have been shown, and the last proof be five minutes old at most. */
const lately: GuardOptions = { maxAge: 300, amr: ['mfa', 'user'] }
export const signedInLately = pageGuard(
  ({ path }) => `/confirm-again?next=${encodeURIComponent(path)}`,
  lately,
)
/** The same for what scripts ask. */
export const scriptSignedInLately = requireUser(clientele, { ...lately, accountId, token })
export const admin = requireUser(clientele, { accountId, token, roles: ['admin'] })
