import { type Request, type Response, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { given, mailedToken, orSay } from '../web/form.ts'
import { type Html, html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'

export const resetPassword = Router()

resetPassword.get('/forgot', (req, res) => showAddress(req, res))

function showAddress(req: Request, res: Response, problem?: Problem): void {
  page(res, {
    ...{ title: 'Choose a new password', problem },
    content: html`${addressForm(req, problem)}
    <p><a href="/sign-in">Back</a></p>`,
  })
}

export function addressForm(req: Request, problem?: Problem): Html {
  const value = given(req, 'email')
  return html`<form method="post" action="/forgot">
      ${field({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value, problem })}
      <button class="main">Send a link</button>
    </form>`
}

resetPassword.post(
  '/forgot',
  orSay(showAddress, async (req, res) => {
    const call = { accountId, clientAddress: req.ip }
    await clientele.auth.forgotPassword(call, { email: given(req, 'email') })
    page(res, {
      title: 'Look into your mailbox',
      content: html`<p>If there is a user with this address, a link was mailed to it.</p>`,
    })
  }),
)

resetPassword.get('/reset', (req, res) => showPassword(req, res))

function showPassword(req: Request, res: Response, problem?: Problem): void {
  page(res, {
    ...{ title: 'Choose a new password', problem },
    content: html`<form method="post" action="/reset">
      <input type="hidden" name="token" value="${mailedToken(req)}">
      ${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', problem })}
      <button class="main">Save</button>
    </form>`,
  })
}

resetPassword.post(
  '/reset',
  orSay(showPassword, async (req, res) => {
    const chosen = { token: mailedToken(req), password: given(req, 'password') }
    await clientele.auth.resetPassword(accountId, chosen)
    page(res, {
      ...{ title: 'You have a new password', done: 'Your other sessions have ended.' },
      content: html`<p><a href="/sign-in" class="main">Sign in</a></p>`,
    })
  }),
)
