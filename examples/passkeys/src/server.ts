import {
  type AuthenticationResponse,
  createClient,
  dataOf,
  type EnrolPasskey,
  type LogIn,
  type PasswordChangeRequired,
  ProblemError,
  type SignedIn,
  type TwoFactorEnrolmentRequired,
  type TwoFactorRequired,
} from '@clientele/client'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { type Context, Hono } from 'hono'
import { csrf } from 'hono/csrf'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { endSession, findSession, openSession } from './sessions.ts'

const { CLIENTELE_API_KEY: apiKey = '', PORT = '4000' } = process.env
const { CLIENTELE_URL: baseUrl = 'http://127.0.0.1:3000/api/v1' } = process.env
const clientele = createClient({ baseUrl, apiKey })
const app = new Hono()

const [none, own] = [["'none'"], ["'self'"]]
app.use(csrf())
app.use(
  secureHeaders({
    contentSecurityPolicy: {
      ...{ defaultSrc: none, baseUri: none, formAction: none, frameAncestors: none },
      ...{ scriptSrc: own, styleSrc: own, imgSrc: own, connectSrc: own },
    },
  }),
)

// With a password

app.post('/sign-up', async (c) => {
  const { email, password } = await c.req.json<LogIn>()
  const name = email.split('@')[0] ?? ''
  dataOf(await clientele.createUser({ name, email, password }))
  return answerLogIn(c, dataOf(await clientele.logIn({ email, password })))
})

app.post('/sign-in', async (c) => {
  const { email, password } = await c.req.json<LogIn>()
  return answerLogIn(c, dataOf(await clientele.logIn({ email, password })))
})

async function answerLogIn(
  c: Context,
  answer: SignedIn | TwoFactorRequired | TwoFactorEnrolmentRequired | PasswordChangeRequired,
) {
  if (answer.success_code === 200) return answerSignedIn(c, answer)
  if ('two_factor_enrolment_required' in answer.data) {
    const message = 'The account requires a second factor: this site has no page that enrols one.'
    throw new HTTPException(403, { message })
  }
  if ('password_change_required' in answer.data) throw needsPassword()
  const { challenge, expires_in } = answer.data
  const { options } = dataOf(await clientele.beginPasskeyTwoFactor({ challenge }))
  openSession(c, { challenge }, expires_in)
  return c.json({ secondFactor: options })
}

function needsPassword(): HTTPException {
  const message = 'The password has expired: this site has no page that changes it.'
  return new HTTPException(403, { message })
}

function answerSignedIn(c: Context, { data, user }: SignedIn) {
  const { token, refresh_token: refreshToken, expires_in } = data
  openSession(c, { user, token: `Bearer ${token}`, refreshToken }, expires_in)
  return c.json({ user })
}

app.post('/sign-in/second-factor', async (c) => {
  const response = await c.req.json<AuthenticationResponse>()
  const challenge = readChallenge(c)
  const given = { challenge, method: 'passkey', response } as const
  const answer = dataOf(await clientele.completeTwoFactor(given))
  if (answer.success_code !== 200) throw needsPassword()
  return answerSignedIn(c, answer)
})

// With a passkey

app.post('/sign-in/passkey/options', async (c) => {
  const { email } = await c.req.json<{ email?: string }>()
  const begun = dataOf(await clientele.beginPasskeyLogIn({ email }))
  openSession(c, { challenge: begun.challenge }, begun.expires_in)
  return c.json(begun.options)
})

app.post('/sign-in/passkey', async (c) => {
  const response = await c.req.json<AuthenticationResponse>()
  const challenge = readChallenge(c)
  return answerSignedIn(c, dataOf(await clientele.logInWithPasskey({ challenge, response })))
})

app.post('/sign-out', async (c) => {
  const refresh_token = findSession(c)?.refreshToken
  endSession(c)
  // The user's token is refused from now on, and Clientele's events say so.
  if (refresh_token !== undefined) dataOf(await clientele.logOut({ refresh_token }))
  return c.body(null, 204)
})

// The user's own passkeys

app.get('/me', async (c) => {
  const user = findSession(c)?.user ?? null
  const passkeys = user === null ? [] : dataOf(await clientele.listPasskeys(user.id)).data
  return c.json({ user, passkeys })
})

app.post('/passkeys/options', async (c) => {
  const { use } = await c.req.json<Pick<EnrolPasskey, 'use'>>()
  const { session, userId } = readSignedIn(c)
  const begun = dataOf(await clientele.beginPasskey(userId, { use, token: session.token }))
  session.challenge = begun.challenge
  return c.json(begun.options)
})

app.post('/passkeys', async (c) => {
  const { name, use, response } = await c.req.json<Omit<EnrolPasskey, 'challenge'>>()
  const { userId } = readSignedIn(c)
  const given = { challenge: readChallenge(c), name, use, response }
  return c.json(dataOf(await clientele.enrolPasskey(userId, given)), 201)
})

app.patch('/passkeys/:id', async (c) => {
  const { name } = await c.req.json<{ name: string }>()
  const { userId } = readSignedIn(c)
  return c.json(dataOf(await clientele.renamePasskey(userId, c.req.param('id'), { name })))
})

app.delete('/passkeys/:id', async (c) => {
  const { userId } = readSignedIn(c)
  dataOf(await clientele.removePasskey(userId, c.req.param('id')))
  return c.body(null, 204)
})

function readSignedIn(c: Context) {
  const session = findSession(c)
  if (session?.user) return { session, userId: session.user.id }
  throw new HTTPException(401, { message: 'Your session has ended. Please sign in again.' })
}

function readChallenge(c: Context): string {
  const challenge = findSession(c)?.challenge
  if (challenge) return challenge
  throw new HTTPException(401, { message: 'This took too long. Please try again.' })
}

/** The page shows the message. */
app.onError((error) => {
  if (error instanceof HTTPException) return answer(error.status, error.message)
  if (!(error instanceof ProblemError)) throw error
  const { status, detail, errors = [] } = error.problem
  const broken = errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ')
  return answer(status || 503, broken || detail)
})
const answer = (status: number, message: string) => Response.json({ message }, { status })

app.use(serveStatic({ root: `${import.meta.dirname}/../public` }))
serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, () =>
  console.log(`Listening on http://localhost:${PORT}`),
)
