import type { TotpEnrolment } from '@clientele/core'
import type { Response } from 'express'
import { Html, html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'

/** On the way in: the user has shown a password or a mailed code, and is not signed in yet. */
export function showEnrolment(res: Response, { secret, qrSvg = '' }: TotpEnrolment): void {
  page(res, {
    title: 'Add your authenticator app',
    content: html`<p>Acme asks everybody for a second factor. Scan this picture with an authenticator app, or type the key
      into it. Then type the code that the app shows.</p>
    <div class="qr" role="img" aria-label="The key as a picture">${new Html(qrSvg)}</div>
    <p>Key: <code id="key">${secret}</code></p>
    ${enrolForm('/sign-in/enrol')}`,
  })
}

export function enrolForm(action: string, problem?: Problem): Html {
  return html`<form method="post" action="${action}">
      ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', hint: 'Six digits', problem })}
      <button class="main">Continue</button>
    </form>`
}
