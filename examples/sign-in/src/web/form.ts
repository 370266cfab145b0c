import { ClienteleError } from '@clientele/core'
import type { Request, RequestHandler, Response } from 'express'
import type { Problem } from './page.ts'

/** A field of the form that was sent. One that is missing, or was sent twice, is empty. */
export function given(req: Request, name: string): string {
  const value: unknown = Object(req.body)[name]
  return typeof value === 'string' ? value : ''
}

/** The token of a mailed link */
export function mailedToken(req: Request): string {
  const { token } = req.method === 'GET' ? req.query : Object(req.body)
  return typeof token === 'string' ? token : ''
}

type Show = (req: Request, res: Response, problem: Problem) => unknown

/** Shows the page of a form again, where Clientele refuses what was sent. */
export function orSay(show: Show, handle: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    try {
      await handle(req, res, next)
    } catch (error) {
      if (!(error instanceof ClienteleError) || (error.status ?? 500) >= 500) throw error
      res.status(error.status ?? 400)
      await show(req, res, problemOf(error))
    }
  }
}

const problems: Partial<Record<ClienteleError['code'], Problem>> = {
  credentials_invalid: { text: 'The e-mail address or the password is wrong.', field: 'password' },
  two_factor_code_invalid: { text: 'The code is wrong, or it was used before.', field: 'code' },
  sign_in_code_invalid: { text: 'The code is wrong.', field: 'code' },
  challenge_invalid: { text: 'This took too long, or too many codes were wrong. Begin again.' },
  invitation_invalid: { text: 'The invitation was used, or it is older than seven days.' },
  reset_token_invalid: { text: 'The link was used, or it is too old. Ask for another one.' },
  email_change_invalid: { text: 'The link was used, or it is too old.' },
  email_taken: { text: 'There is already a user with this address.', field: 'email' },
  refresh_token_invalid: { text: 'Your session has ended. Sign in again.' },
  passkey_invalid: { text: 'This passkey is not known here.' },
  rate_limited: { text: 'Too many attempts. Wait a few minutes, then try again.' },
}
const labels: Record<string, string> = {
  '/name': 'The name',
  '/email': 'The e-mail address',
  '/password': 'The password',
  '/code': 'The code',
}

/** Says to a visitor what Clientele refused: its own messages are for programmers. */
export function problemOf({ code, issues }: ClienteleError): Problem {
  const issue = issues.find(({ pointer }) => pointer in labels)
  if (issue !== undefined)
    return { text: `${labels[issue.pointer]} ${issue.message}.`, field: issue.pointer.slice(1) }
  return problems[code] ?? { text: 'This did not work. Check what you typed, and try again.' }
}
