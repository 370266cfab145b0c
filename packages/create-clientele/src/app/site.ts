import { ClienteleError, type ClientUser, type SignInResult } from '@clientele/core'
import { accountId } from './account.ts'
import { clientele } from './clientele.ts'
import { messageOf } from './messages.ts'
import * as pages from './pages.ts'
import { type Cookie, noSession, sessionCookies, unlessRefused } from './visitor.ts'

export interface Visit {
  user: ClientUser | undefined
  form: Record<string, string>
  cookies: Record<string, string | undefined>
  /** Failed sign-ins are counted by it */
  clientAddress: string | undefined
}

/** A page, or the path where the browser goes next */
export interface Answer {
  html?: string
  location?: string
  status?: number
  cookies?: Cookie[]
}

type Action = (visit: Visit) => Promise<Answer>

/** The pages of the site, and what their forms do: mount them before your own routes. */
export const actions: Record<string, Action> = {
  'GET /': async ({ user }) => {
    if (user === undefined) return { location: '/sign-in' }
    const { totp } = await clientele.mfa.read(accountId, user.id)
    return { html: pages.homePage(user, totp) }
  },
  'GET /sign-up': async () => ({ html: pages.signUpPage() }),
  'POST /sign-up': orSay(pages.signUpPage, async (visit) => {
    const { name = '', email = '', password = '' } = visit.form
    await clientele.users.create(accountId, { name, email, password })
    return signIn(visit)
  }),
  'GET /sign-in': async () => ({ html: pages.signInPage() }),
  'POST /sign-in': orSay(pages.signInPage, signIn),
  'GET /sign-in/code': async () => ({ html: pages.codePage() }),
  'POST /sign-in/code': orSay(pages.codePage, async ({ form, cookies, clientAddress }) => {
    const { challenge } = cookies
    if (!challenge) return { location: '/sign-in' }
    const code = readCode(form)
    const method = /^\d{6}$/.test(code) ? 'totp' : 'recovery_code'
    const call = { accountId, clientAddress }
    return open(await clientele.auth.completeMfa(call, { challenge, method, code }))
  }),
  'GET /sign-in/password': async () => ({ html: pages.newPasswordPage() }),
  'POST /sign-in/password': orSay(pages.newPasswordPage, async ({ form, cookies }) => {
    const { challenge } = cookies
    if (!challenge) return { location: '/sign-in' }
    const { password = '' } = form
    return open(await clientele.auth.changeExpiredPassword(accountId, { challenge, password }))
  }),
  'POST /sign-out': async ({ cookies }) => {
    const { refresh_token: refreshToken } = cookies
    if (refreshToken) await unlessRefused(clientele.auth.logOut(accountId, { refreshToken }))
    return { location: '/sign-in', cookies: noSession }
  },
  // Where a browser goes that reloads a page of the form
  'GET /second-factor': async () => ({ location: '/' }),
  'GET /second-factor/confirm': async () => ({ location: '/' }),
  'POST /second-factor': orSay(
    (message) => pages.messagePage('Authenticator app', message),
    async ({ user }) => {
      if (user === undefined) return { location: '/sign-in' }
      const enrolment = await clientele.mfa.enrolTotp(accountId, user.id, { qrCode: true })
      return { html: pages.enrolPage(enrolment) }
    },
  ),
  'POST /second-factor/confirm': orSay(
    (message) => pages.enrolPage(undefined, message),
    async ({ user, form }) => {
      if (user === undefined) return { location: '/sign-in' }
      const code = readCode(form)
      return {
        html: pages.recoveryCodesPage(
          await clientele.mfa.confirmTotp(accountId, user.id, { code }),
        ),
      }
    },
  ),
}

/** Apps show a code in two groups: with a blank between them it is the same code. A field that is sent twice is a list. */
function readCode({ code = '' }: Visit['form']): string {
  return String(code).replaceAll(/\s/g, '')
}

async function signIn({ form, clientAddress }: Visit): Promise<Answer> {
  const { email = '', password = '' } = form
  return open(await clientele.auth.logIn({ accountId, clientAddress }, { email, password }))
}

async function open(result: SignInResult): Promise<Answer> {
  if (!('challenge' in result)) {
    const cookies = sessionCookies(result)
    const { recoveryCodes } = result
    if (recoveryCodes === undefined) return { location: '/', cookies }
    return { html: pages.recoveryCodesPage(recoveryCodes), cookies }
  }
  const { challenge, expiresIn: maxAgeSeconds } = result
  const cookies = [{ name: 'challenge', value: challenge, maxAgeSeconds }]
  if ('mfaRequired' in result) return { location: '/sign-in/code', cookies }
  if ('passwordChangeRequired' in result) {
    const { recoveryCodes } = result
    if (recoveryCodes === undefined) return { location: '/sign-in/password', cookies }
    return { html: pages.recoveryCodesPage(recoveryCodes, '/sign-in/password'), cookies }
  }
  // The account requires a second factor, and the user has none.
  const app = { challenge, method: 'totp' as const }
  const enrolment = await clientele.auth.enrolToLogIn(accountId, app, { qrCode: true })
  return { html: pages.enrolPage(enrolment, '', '/sign-in/code'), cookies }
}

/** Shows on the page of the form why Clientele refused it. */
function orSay(page: (message: string) => string, action: Action): Action {
  return async (visit) => {
    try {
      return await action(visit)
    } catch (error) {
      const status = error instanceof ClienteleError ? (error.status ?? 500) : 500
      if (!(error instanceof ClienteleError) || status >= 500) throw error
      return { html: page(messageOf(error)), status }
    }
  }
}
