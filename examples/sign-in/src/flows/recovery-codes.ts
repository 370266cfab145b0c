import type { Response } from 'express'
import { html } from '../web/html.ts'
import { page } from '../web/page.ts'

export function showRecoveryCodes(res: Response, codes: string[], next: string): void {
  page(res, {
    title: 'Keep your recovery codes',
    content: html`<p>Each of them takes the place of your authenticator app once. They are shown only now.</p>
    <ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
    <p><a href="${next}" class="main">I have kept them</a></p>`,
  })
}
