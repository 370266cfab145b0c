import type { AuthenticationResponse, RegistrationResponse } from '@clientele/core'
import { ClienteleError } from '@clientele/core'
import express, { type ErrorRequestHandler, type Request, Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { problemOf } from '../web/form.ts'
import { html } from '../web/html.ts'
import { page } from '../web/page.ts'
import {
  cookieOf,
  keepSession,
  scriptSignedInLately,
  setCookie,
  signedIn,
  signedInLately,
} from '../web/session.ts'

/** A browser's passkeys speak JSON, with the scripts in `public/`. */
export const passkeys = Router()
const json = express.json()

// Sign in. A passkey with a finger, a face or a PIN is both factors.

passkeys.post('/passkey/sign-in/options', async (req, res) => {
  const begun = await clientele.auth.beginPasskeyLogIn({ accountId, clientAddress: req.ip })
  setCookie(res, 'ceremony', begun.challenge, begun.expiresIn)
  res.json(begun.options)
})

passkeys.post('/passkey/sign-in', json, async (req, res) => {
  const response = req.body as AuthenticationResponse // Clientele checks it
  const call = { accountId, clientAddress: req.ip }
  const used = { challenge: cookieOf(req, 'ceremony'), response }
  keepSession(res, await clientele.auth.logInWithPasskey(call, used))
  res.json({ next: '/' })
})

// Add one, and remove it

const userIdOf = (req: Request): string => req.clientUserId ?? ''

// A passkey is a proof at every other dangerous button, so its owner shows another one first.
passkeys.get('/passkey', signedInLately, (req, res) => {
  page(res, {
    ...{ title: 'Add a passkey', user: req.clientUser, script: 'passkey-enrol.js' },
    content: html`<p>With a passkey you sign in by a finger, a face or a PIN, without a password. It needs scripts, and a
      browser that knows passkeys.</p>
    <p id="passkey-problem" role="alert" class="wrong" hidden></p>
    <button type="button" id="passkey" class="main" hidden>Add it</button>
    <p><a href="/">Back</a></p>`,
  })
})

passkeys.post('/passkey/options', scriptSignedInLately, async (req, res) => {
  const token = `Bearer ${cookieOf(req, 'token')}`
  const begun = await clientele.passkeys.beginEnrolment(accountId, userIdOf(req), { token })
  setCookie(res, 'ceremony', begun.challenge, begun.expiresIn)
  res.json(begun.options)
})

passkeys.post('/passkey', scriptSignedInLately, json, async (req, res) => {
  const response = req.body as RegistrationResponse // Clientele checks it
  const created = { challenge: cookieOf(req, 'ceremony'), response, name: 'My passkey' }
  await clientele.passkeys.enrol(accountId, userIdOf(req), created)
  res.json({ next: '/?done=passkey' })
})

// An open browser may remove one: that opens no way in, and a thief's passkey should go at once.
passkeys.post('/passkey/:id/remove', signedIn, async (req, res) => {
  await clientele.passkeys.remove(accountId, userIdOf(req), String(req.params.id))
  res.redirect(303, '/')
})

/** For the scripts: they show the message. */
const sayInJson: ErrorRequestHandler = (error, _req, res, next) => {
  const status = error instanceof ClienteleError ? (error.status ?? 500) : 500
  if (!(error instanceof ClienteleError) || status >= 500) return next(error)
  res.status(status).json({ message: problemOf(error).text })
}
passkeys.use('/passkey', sayInJson)
