import { Router } from 'express'
import { accountId, clientele } from '../clientele.ts'
import { html } from '../web/html.ts'
import { page } from '../web/page.ts'
import { clearCookies, endSession, signedInLately } from '../web/session.ts'

export const deleteData = Router()

deleteData.get('/delete-data', signedInLately, (req, res) => {
  page(res, {
    ...{ title: 'Delete my data', user: req.clientUser },
    content: html`<p>Your user and everything that Acme knows about you will be gone. This cannot be taken back.</p>
    <form method="post" action="/delete-data"><button class="main danger">Delete everything</button></form>
    <p><a href="/">Back</a></p>`,
  })
})

// The button has the guard, too: a page may stay open for an hour.
deleteData.post('/delete-data', signedInLately, async (req, res) => {
  await clientele.users.erase(accountId, req.clientUserId ?? '')
  endSession(res)
  clearCookies(res, 'device')
  page(res, {
    ...{ title: 'Good-bye', done: 'Your data is deleted.' },
    content: html`<p>You are signed out.</p>`,
  })
})
