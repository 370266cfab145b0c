import { type Request, type Response, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { given, orSay } from '../web/form.ts'
import { html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'
import { cookieOf } from '../web/session.ts'
import { proceed } from './proceed.ts'

/** For a user whose password an operator has let expire. It comes last, after the second factor. */
export const expiredPassword = Router()

expiredPassword.get('/sign-in/new-password', (req, res) => show(req, res))

function show(_req: Request, res: Response, problem?: Problem): void {
  page(res, {
    ...{ title: 'Choose a new password', problem },
    content: html`<p>Your password has expired.</p>
    <form method="post" action="/sign-in/new-password">
      ${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', problem })}
      <button class="main">Continue</button>
    </form>`,
  })
}

expiredPassword.post(
  '/sign-in/new-password',
  orSay(show, async (req, res) => {
    const challenge = cookieOf(req, 'challenge')
    if (challenge === '') return res.redirect(303, '/sign-in')
    const chosen = { challenge, password: given(req, 'password') }
    await proceed(res, await clientele.auth.changeExpiredPassword(accountId, chosen))
  }),
)
