import type { Language } from './language.ts'
import type { MailTemplate, MailTemplates } from './mail-template.ts'
import { kinds, secretOf } from './render-mail.ts'

/** Makes the templates of a language: plain text, and HTML that follows the reader's light or dark setting. */
export function toTemplates(tag: string, { greeting, mails }: Language): MailTemplates {
  const made = kinds.map((kind): [string, MailTemplate] => {
    const { subject, before, after } = mails[kind]
    const secret = `{{${secretOf(kind)}}}`
    const text = `${[greeting, before, secret, ...after].join('\n\n')}\n`
    const paragraph = (words: string) => `<p>${words}</p>`
    const body = [
      ...[greeting, before].map(paragraph),
      `<p class="code">${secret}</p>`,
      ...after.map(paragraph),
    ]
    return [kind, { subject, text, html: layOut(tag, subject, body) }]
  })
  return Object.fromEntries(made) as MailTemplates // one for each kind
}

const style = `:root { color-scheme: light dark; }
body { margin: 0; padding: 24px; background: #ffffff; color: #1c1c21;
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 36rem; margin: 0 auto; }
.code { padding: 16px; border-radius: 8px; background: #f0f0f4; word-break: break-all;
  font: 600 20px/1.4 ui-monospace, Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) {
  body { background: #17171a; color: #ececf1; }
  .code { background: #2a2a30; }
}`

function layOut(tag: string, title: string, body: string[]): string {
  return `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
${style}
</style>
</head>
<body>
<main>
${body.join('\n')}
</main>
</body>
</html>
`
}
