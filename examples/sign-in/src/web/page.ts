import type { ClientUser } from '@clientele/core'
import type { Response } from 'express'
import { type Html, html } from './html.ts'

/** What is wrong with a form, and the field that it is about. */
export interface Problem {
  text: string
  field?: string
}

interface Page {
  title: string
  content: Html
  problem?: Problem | undefined
  /** What has been done */
  done?: string | undefined
  user?: ClientUser | undefined
  /** A script of `public/` */
  script?: string
}

export function page(res: Response, { title, content, problem, done, user, script }: Page): void {
  res
    .set('cache-control', 'no-store')
    .type('html')
    .send(
      html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${problem !== undefined && 'Error: '}${title} – Acme</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/style.css">
    ${script !== undefined && html`<script type="module" src="/${script}"></script>`}
  </head>
  <body>
    <header>
      <a href="/"><img src="/icon.svg" alt="" width="36" height="36"> Acme</a>
      ${user !== undefined && html`<form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>`}
    </header>
    <main>
      ${problem !== undefined && summary(problem)}
      ${done !== undefined && html`<p role="status" class="done">${done}</p>`}
      <section>
        <h1>${title}</h1>
        ${content}
      </section>
    </main>
    <footer><a href="/mails">Mails of this example</a></footer>
  </body>
</html>`.text,
    )
}

/** It has the focus first, so that a screen reader reads it, and its link leads to the field. */
function summary({ text, field }: Problem): Html {
  return html`<div role="alert" class="problem" tabindex="-1" autofocus>
        ${field === undefined ? html`<p>${text}</p>` : html`<p><a href="#${field}">${text}</a></p>`}
      </div>`
}

interface Field {
  name: string
  label: string
  autocomplete: string
  type?: 'text' | 'email' | 'password'
  hint?: string
  value?: string | undefined
  problem?: Problem | undefined
}

/** A labelled field. Nothing is put into a password again. */
export function field({ name, label, hint, value = '', problem, ...rest }: Field): Html {
  const { autocomplete, type = 'text' } = rest
  const isWrong = problem?.field === name
  const described = [hint !== undefined && `${name}-hint`, isWrong && `${name}-problem`]
  return html`<label for="${name}">${label}</label>
    ${hint !== undefined && html`<small id="${name}-hint">${hint}</small>`}
    ${isWrong && html`<small id="${name}-problem" class="wrong">${problem?.text}</small>`}
    <input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required
      ${value !== '' && html`value="${value}"`} ${isWrong && html`aria-invalid="true"`}
      ${described.some(Boolean) && html`aria-describedby="${described.filter(Boolean).join(' ')}"`}>`
}
