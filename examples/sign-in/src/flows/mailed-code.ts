import { type Request, type Response, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { given, orSay } from '../web/form.ts'
import { html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'
import { cookieOf, setCookie } from '../web/session.ts'
import { proceed } from './proceed.ts'

export const mailedCode = Router()

mailedCode.get('/sign-in/mail', (req, res) => showAddress(req, res))

function showAddress(req: Request, res: Response, problem?: Problem): void {
  const value = given(req, 'email')
  page(res, {
    ...{ title: 'Get a code by e-mail', problem },
    content: html`<form method="post" action="/sign-in/mail">
      ${field({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value, problem })}
      <button class="main">Send the code</button>
    </form>
    <p><a href="/sign-in">Sign in in another way</a></p>`,
  })
}

mailedCode.post(
  '/sign-in/mail',
  orSay(showAddress, async (req, res) => {
    const call = { accountId, clientAddress: req.ip }
    const mailed = await clientele.auth.mailSignInCode(call, { email: given(req, 'email') })
    // What is mailed opens nothing without the challenge, which stays in this browser.
    setCookie(res, 'mailed', mailed.challenge, mailed.expiresIn)
    res.redirect(303, '/sign-in/mailed')
  }),
)

mailedCode.get('/sign-in/mailed', (req, res) => showCode(req, res))

function showCode(_req: Request, res: Response, problem?: Problem): void {
  // The same for every address: strangers do not learn which have a user.
  const hint = 'If there is a user with this address, a code of eight digits was mailed to it.'
  page(res, {
    ...{ title: 'Type the code', problem, script: 'code-from-link.js' },
    content: html`<form method="post" action="/sign-in/mailed">
      ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', hint, problem })}
      <button class="main">Sign in</button>
    </form>
    <p><a href="/sign-in/mail">Get another code</a></p>`,
  })
}

mailedCode.post(
  '/sign-in/mailed',
  orSay(showCode, async (req, res) => {
    const challenge = cookieOf(req, 'mailed')
    if (challenge === '') return res.redirect(303, '/sign-in/mail')
    const call = { accountId, clientAddress: req.ip }
    const code = given(req, 'code').replaceAll(' ', '')
    await proceed(res, await clientele.auth.logInWithCode(call, { challenge, code }))
  }),
)
