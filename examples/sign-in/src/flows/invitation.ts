import { type Request, type Response, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { given, mailedToken, orSay } from '../web/form.ts'
import { html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'
import { admin } from '../web/session.ts'

export const invitation = Router()

// The person who invites

invitation.get('/invite', admin, (req, res) => showInvite(req, res))

function showInvite(req: Request, res: Response, problem?: Problem): void {
  const [name, email] = [given(req, 'name'), given(req, 'email')]
  page(res, {
    ...{ title: 'Invite a person', problem, user: req.clientUser },
    content: html`<form method="post" action="/invite">
      ${field({ name: 'name', label: 'Name', autocomplete: 'off', value: name, problem })}
      ${field({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'off', value: email, problem })}
      <button class="main">Send the invitation</button>
    </form>
    <p><a href="/">Back</a></p>`,
  })
}

invitation.post(
  '/invite',
  admin,
  orSay(showInvite, async (req, res) => {
    const call = { accountId, clientAddress: req.ip }
    await clientele.users.invite(call, { name: given(req, 'name'), email: given(req, 'email') })
    res.redirect(303, '/?done=invited')
  }),
)

// The person who is invited

invitation.get('/invitation', (req, res) => showAccept(req, res))

function showAccept(req: Request, res: Response, problem?: Problem): void {
  // The page alone changes nothing: programs that check mails open links, too.
  page(res, {
    ...{ title: 'Welcome to Acme', problem },
    content: html`<form method="post" action="/invitation">
      <input type="hidden" name="token" value="${mailedToken(req)}">
      ${field({ name: 'password', label: 'Choose a password', type: 'password', autocomplete: 'new-password', problem })}
      <button class="main">Join</button>
    </form>`,
  })
}

invitation.post(
  '/invitation',
  orSay(showAccept, async (req, res) => {
    const accepted = { token: mailedToken(req), password: given(req, 'password') }
    await clientele.auth.acceptInvitation(accountId, accepted)
    page(res, {
      ...{ title: 'You have a password now', done: 'Your address is confirmed.' },
      content: html`<p><a href="/sign-in" class="main">Sign in</a></p>`,
    })
  }),
)
