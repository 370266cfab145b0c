import { type Request, type Response, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { given, mailedToken, orSay } from '../web/form.ts'
import { type Html, html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'
import { signedInLately } from '../web/session.ts'
import { addressForm } from './reset-password.ts'

/** An address changes when its new owner confirms it. For three days, the old mailbox can take it back. */
export const changeEmail = Router()

// Whoever changes the address can get a new password by it: the guard asks for a proof first.
changeEmail.get('/email', signedInLately, (req, res) => showAddress(req, res))

function showAddress(req: Request, res: Response, problem?: Problem): void {
  const value = given(req, 'email')
  page(res, {
    ...{ title: 'Change your address', problem, user: req.clientUser },
    content: html`<p>Now it is ${req.clientUser?.email}.</p>
    <form method="post" action="/email">
      ${field({ name: 'email', label: 'New e-mail', type: 'email', autocomplete: 'email', value, problem })}
      <button class="main">Change</button>
    </form>
    <p><a href="/">Back</a></p>`,
  })
}

changeEmail.post(
  '/email',
  signedInLately,
  orSay(showAddress, async (req, res) => {
    const call = { accountId, clientAddress: req.ip }
    const email = given(req, 'email')
    await clientele.users.requestEmailChange(call, req.clientUserId ?? '', { email })
    res.redirect(303, '/?done=email')
  }),
)

// The link in the new mailbox

changeEmail.get('/email/confirm', (req, res) => showConfirm(req, res))

function showConfirm(req: Request, res: Response, problem?: Problem): void {
  const content = button(req, '/email/confirm', 'Confirm the new address')
  page(res, { title: 'Is this your address?', problem, content })
}

changeEmail.post(
  '/email/confirm',
  orSay(showConfirm, async (req, res) => {
    await clientele.auth.confirmEmailChange(accountId, { token: mailedToken(req) })
    const content = html`<p><a href="/" class="main">Continue</a></p>`
    page(res, { title: 'Your address is changed', content })
  }),
)

// The link in the old mailbox

changeEmail.get('/email/undo', (req, res) => showUndo(req, res))

function showUndo(req: Request, res: Response, problem?: Problem): void {
  const what = html`<p>If you did not change your address, another person has used your account, and may know your password.
      Keep the old address, and then choose a new password. If the address has changed already, all sessions end.</p>`
  const content = html`${what}${button(req, '/email/undo', 'Keep the old address')}`
  page(res, { title: 'Keep your old address?', problem, content })
}

changeEmail.post(
  '/email/undo',
  orSay(showUndo, async (req, res) => {
    await clientele.auth.undoEmailChange(accountId, { token: mailedToken(req) })
    // The person who changed the address may know the password: only a reset replaces it without asking for it.
    const content = html`<p>Choose a new password now, by a link that we mail to your old address.</p>${addressForm(req)}`
    page(res, { title: 'You have your old address', content })
  }),
)

function button(req: Request, action: string, label: string): Html {
  return html`<form method="post" action="${action}">
      <input type="hidden" name="token" value="${mailedToken(req)}">
      <button class="main">${label}</button>
    </form>`
}
