import { type Request, type Response, Router } from 'express'
import { accountId, clientele, rememberDeviceDays } from '../clientele.ts'
import { given, orSay } from '../web/form.ts'
import { html } from '../web/html.ts'
import { field, type Problem, page } from '../web/page.ts'
import { clearCookies, cookieOf } from '../web/session.ts'
import { enrolForm } from './enrolment.ts'
import { proceed } from './proceed.ts'

export const secondFactor = Router()

secondFactor.get('/sign-in/code', (req, res) => show(req, res))

function show(_req: Request, res: Response, problem?: Problem): void {
  page(res, {
    ...{ title: 'Your second factor', problem },
    content: html`<form method="post" action="/sign-in/code">
      ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', hint: 'Of your authenticator app, or one of your recovery codes', problem })}
      <label class="tick"><input type="checkbox" name="remember" value="yes"> Do not ask again on this device for ${rememberDeviceDays} days</label>
      <button class="main">Continue</button>
    </form>
    <p><a href="/sign-in">Begin again</a></p>`,
  })
}

secondFactor.post('/sign-in/code', orSay(show, complete))
// The first right code enrols the app whose key was shown.
secondFactor.post('/sign-in/enrol', orSay(showKeyless, complete))

async function complete(req: Request, res: Response): Promise<void> {
  const challenge = cookieOf(req, 'challenge')
  if (challenge === '') return res.redirect(303, '/sign-in')
  const call = { accountId, clientAddress: req.ip }
  const result = await clientele.auth.completeMfa(call, {
    ...{ challenge, ...readCode(req) },
    ...(given(req, 'remember') === 'yes' && { rememberDevice: true, deviceName: nameDevice(req) }),
  })
  clearCookies(res, 'challenge')
  await proceed(res, result)
}

/** Apps show their six digits in two groups; recovery codes are longer. */
export function readCode(req: Request) {
  const code = given(req, 'code').replaceAll(' ', '')
  const method = /^\d{6}$/.test(code) ? ('totp' as const) : ('recovery_code' as const)
  return { method, code }
}

/** The name by which users find the device in their list */
function nameDevice(req: Request): string {
  const system = req.get('sec-ch-ua-platform')?.replaceAll('"', '')
  return system === undefined ? 'A browser' : `A browser on ${system}`
}

/** The app has the key already. It is not shown again: a new one would void it. */
function showKeyless(_req: Request, res: Response, problem: Problem): void {
  const content = html`${enrolForm('/sign-in/enrol', problem)}<p><a href="/sign-in">Begin again</a></p>`
  page(res, { title: 'Add your authenticator app', problem, content })
}
