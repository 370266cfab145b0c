import type { Device, Passkey } from '@clientele/core'
import { Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { type Html, html } from '../web/html.ts'
import { page } from '../web/page.ts'
import { signedIn, signedInLately } from '../web/session.ts'
import { showRecoveryCodes } from './recovery-codes.ts'

export const home = Router()

const dones: Record<string, string> = {
  invited: 'The invitation is mailed.',
  passkey: 'The passkey is added.',
  email: 'Look into your new mailbox: the address changes when you open the link there.',
}

home.get('/', signedIn, async (req, res) => {
  const { clientUser: user } = req
  const userId = req.clientUserId ?? ''
  const [factor, passkeys, devices] = await Promise.all([
    clientele.mfa.read(accountId, userId),
    clientele.passkeys.list(accountId, userId),
    clientele.devices.list(accountId, userId),
  ])
  page(res, {
    ...{ title: `Hello, ${user?.name}`, user },
    done: dones[String(req.query.done)],
    content: html`<p>${user?.email} <a href="/email">Change</a></p>
    <h2>Passkeys</h2>
    <ul>${passkeys.map(toPasskey)}</ul>
    <p><a href="/passkey">Add a passkey</a></p>
    <h2>Second factor</h2>
    <p>${factor.recoveryCodesLeft} recovery codes are left. <a href="/recovery-codes">Get new ones</a></p>
    <h2>Devices that are not asked for it</h2>
    <ul>${devices.map(toDevice)}</ul>
    ${user?.roles.includes('admin') && html`<h2>Acme</h2><p><a href="/invite">Invite a person</a></p>`}
    <h2>Danger</h2>
    <p><a href="/delete-data">Delete my data</a></p>`,
  })
})

const day = (time: Date) => time.toISOString().slice(0, 10)

function toPasskey({ id, name, createdAt }: Passkey): Html {
  return html`<li>${name}, since ${day(createdAt)}
      <form method="post" action="/passkey/${id}/remove"><button class="quiet" aria-label="Remove ${name}">Remove</button></form></li>`
}

function toDevice({ id, name, expiresAt }: Device): Html {
  return html`<li>${name ?? 'A browser'}, until ${day(expiresAt)}
      <form method="post" action="/device/${id}/remove"><button class="quiet" aria-label="Forget ${name ?? 'the browser'}">Forget</button></form></li>`
}

home.post('/device/:id/remove', signedIn, async (req, res) => {
  await clientele.devices.remove(accountId, req.clientUserId ?? '', String(req.params.id))
  res.redirect(303, '/')
})

home.get('/recovery-codes', signedInLately, (req, res) => {
  page(res, {
    ...{ title: 'New recovery codes', user: req.clientUser },
    content: html`<p>The codes that you have now will be void.</p>
    <form method="post" action="/recovery-codes"><button class="main">Get new codes</button></form>
    <p><a href="/">Back</a></p>`,
  })
})

home.post('/recovery-codes', signedInLately, async (req, res) => {
  const codes = await clientele.mfa.renewRecoveryCodes(accountId, req.clientUserId ?? '')
  showRecoveryCodes(res, codes, '/')
})
