import type { ClientUser, TotpEnrolment } from '@clientele/core'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (found) => entities[found] ?? '')

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 24rem; margin: 10vh auto; padding: 0 1rem; }
  label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
  input, button { margin: 0.25rem 0 1rem; padding: 0.5rem; }
  svg { width: 12rem; background: white; }
  [role='alert'] { color: light-dark(#a40000, #ff9a9a); }`

function page(title: string, content: string, message = ''): string {
  const alert = message === '' ? '' : `<p role="alert">${escapeHtml(message)}</p>`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
${alert}
${content}
</main>
</html>`
}

const field = (name: string, label: string, attributes: string) =>
  `<label>${label} <input name="${name}" required ${attributes}></label>`
const form = (action: string, button: string, ...fields: string[]) =>
  `<form method="post" action="${action}">${fields.join('\n')}<button>${button}</button></form>`
const email = field('email', 'E-mail', 'type="email" autocomplete="username"')
const password = (autocomplete: string) =>
  field('password', 'Password', `type="password" autocomplete="${autocomplete}"`)
const code = field('code', 'Code', 'autocomplete="one-time-code" autocapitalize="off"')

export function signInPage(message = ''): string {
  const signUp = '<p><a href="/sign-up">Sign up</a></p>'
  const fields = form('/sign-in', 'Sign in', email, password('current-password'))
  return page('Sign in', fields + signUp, message)
}

export function signUpPage(message = ''): string {
  const name = field('name', 'Name', 'autocomplete="name"')
  const fields = form('/sign-up', 'Sign up', name, email, password('new-password'))
  return page('Sign up', `${fields}<p><a href="/sign-in">Sign in</a></p>`, message)
}

export function codePage(message = ''): string {
  const hint = '<p>The code of your authenticator app, or one of your recovery codes.</p>'
  const back = '<p><a href="/sign-in">Sign in again</a></p>'
  return page('Second factor', hint + form('/sign-in/code', 'Continue', code) + back, message)
}

export function newPasswordPage(message = ''): string {
  const hint = '<p>Your password has expired. Choose another one.</p>'
  const back = '<p><a href="/sign-in">Sign in again</a></p>'
  const fields = form('/sign-in/password', 'Continue', password('new-password'))
  return page('New password', hint + fields + back, message)
}

export function homePage(user: ClientUser, hasSecondFactor: boolean): string {
  const factor = hasSecondFactor
    ? '<p>You sign in with a second factor.</p>'
    : form('/second-factor', 'Add an authenticator app')
  const content = `<p>You are signed in as ${escapeHtml(user.email)}.</p>${factor}`
  return page(`Hello, ${escapeHtml(user.name)}`, content + form('/sign-out', 'Sign out'))
}

/** Without an enrolment it asks for another code of the app that knows the key. */
export function enrolPage(
  enrolment?: TotpEnrolment,
  message = '',
  action = '/second-factor/confirm',
): string {
  const hint =
    '<p>Scan this picture with your authenticator app, or type the key. Then type the code.</p>'
  const key = ({ qrSvg, secret }: TotpEnrolment) => `${hint}${qrSvg}<p><code>${secret}</code></p>`
  const picture = enrolment === undefined ? '' : key(enrolment)
  return page('Authenticator app', picture + form(action, 'Confirm', code), message)
}

export function messagePage(title: string, message: string): string {
  return page(title, '<p><a href="/">Back</a></p>', message)
}

export function recoveryCodesPage(codes: string[], next = '/'): string {
  const list = codes.map((each) => `<li><code>${escapeHtml(each)}</code></li>`).join('')
  const hint =
    '<p>Keep them: each signs you in once if you lose the app. They are not shown again.</p>'
  return page('Recovery codes', `${hint}<ul>${list}</ul><p><a href="${next}">Done</a></p>`)
}
