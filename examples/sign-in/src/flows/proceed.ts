import type { SignInResult } from '@clientele/core'
import type { Response } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { keepSession, setCookie } from '../web/session.ts'
import { showEnrolment } from './enrolment.ts'
import { showRecoveryCodes } from './recovery-codes.ts'

/** What follows each way to sign in: the site itself, or one more step. */
export async function proceed(res: Response, result: SignInResult): Promise<void> {
  if ('token' in result) {
    keepSession(res, result)
    if (result.recoveryCodes === undefined) res.redirect(303, '/')
    else showRecoveryCodes(res, result.recoveryCodes, '/')
    return
  }
  const { challenge, expiresIn } = result
  setCookie(res, 'challenge', challenge, expiresIn)
  if ('mfaRequired' in result) return res.redirect(303, '/sign-in/code')
  if ('passwordChangeRequired' in result) {
    const next = '/sign-in/new-password'
    if (result.recoveryCodes === undefined) return res.redirect(303, next)
    return showRecoveryCodes(res, result.recoveryCodes, next)
  }
  // The account requires a second factor, and the user has none.
  const app = { challenge, method: 'totp' } as const
  showEnrolment(res, await clientele.auth.enrolToLogIn(accountId, app, { qrCode: true }))
}
