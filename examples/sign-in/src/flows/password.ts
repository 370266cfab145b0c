import { type Request, type Response, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { given, orSay } from '../web/form.ts'
import { html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'
import { cookieOf, endSession } from '../web/session.ts'
import { proceed } from './proceed.ts'

export const password = Router()

password.get('/sign-in', (req, res) => show(req, res))

function show(req: Request, res: Response, problem?: Problem): void {
  const email = given(req, 'email')
  page(res, {
    ...{ title: 'Sign in', problem, script: 'passkey-sign-in.js' },
    content: html`<form method="post" action="/sign-in">
      ${field({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, problem })}
      ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', problem })}
      <button class="main">Sign in</button>
    </form>
    <p class="or"><span>or</span></p>
    <p id="passkey-problem" role="alert" class="wrong" hidden></p>
    <button type="button" id="passkey" hidden>Sign in with a passkey</button>
    <p><a href="/sign-in/mail">Get a code by e-mail</a></p>
    <p><a href="/forgot">I have forgotten my password</a></p>`,
  })
}

password.post(
  '/sign-in',
  orSay(show, async (req, res) => {
    const credentials = { email: given(req, 'email'), password: given(req, 'password') }
    const deviceToken = cookieOf(req, 'device')
    const call = { accountId, clientAddress: req.ip }
    // On a remembered device the password is enough.
    const known = deviceToken === '' ? credentials : { ...credentials, deviceToken }
    await proceed(res, await clientele.auth.logIn(call, known))
  }),
)

password.post('/sign-out', async (req, res) => {
  const refreshToken = cookieOf(req, 'refresh')
  // A cookie that is no token any more was left out before.
  if (refreshToken !== '') await clientele.auth.logOut(accountId, { refreshToken })
  endSession(res)
  res.redirect(303, '/sign-in')
})
