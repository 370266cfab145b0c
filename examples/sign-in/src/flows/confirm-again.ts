import { type Request, type Response, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { given, orSay } from '../web/form.ts'
import { html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'
import { cookieOf, keepSession, signedIn } from '../web/session.ts'
import { readCode } from './second-factor.ts'

/** Pages behind `signedInLately` send the user here, and get the user back. */
export const confirmAgain = Router()

/** Where the user goes on. A path of another site would make this one a part of a trick. */
const dangerous = ['/delete-data', '/email', '/passkey', '/recovery-codes']

function nextOf(req: Request): string {
  const next = req.method === 'GET' ? req.query.next : given(req, 'next')
  return dangerous.find((path) => path === next) ?? '/'
}

confirmAgain.get('/confirm-again', signedIn, (req, res) => show(req, res))

function show(req: Request, res: Response, problem?: Problem): void {
  // A session that has begun without a second factor, on a remembered device, needs it now.
  const { amr } = Object(req.clientClaims)
  const isStrong = Array.isArray(amr) && (amr.includes('mfa') || amr.includes('user'))
  const next = html`<input type="hidden" name="next" value="${nextOf(req)}">`
  page(res, {
    ...{ title: 'Is it you?', problem, user: req.clientUser },
    content: html`<p>This is important, so please confirm again that it is you.</p>
    <form method="post" action="/confirm-again">
      ${next}
      ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', hint: 'Of your authenticator app, or one of your recovery codes', problem })}
      <button class="main">Confirm by the code</button>
    </form>
    ${
      isStrong &&
      html`<form method="post" action="/confirm-again">
      ${next}
      ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', problem })}
      <button>Confirm by the password</button>
    </form>`
    }
    <p><a href="/">Back</a></p>`,
  })
}

confirmAgain.post(
  '/confirm-again',
  signedIn,
  orSay(show, async (req, res) => {
    const password = given(req, 'password')
    const proof = password === '' ? readCode(req) : { password }
    const call = { accountId, clientAddress: req.ip }
    const refreshToken = cookieOf(req, 'refresh')
    keepSession(res, await clientele.auth.reauthenticate(call, { refreshToken, ...proof }))
    res.redirect(303, nextOf(req))
  }),
)
