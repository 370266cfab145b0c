import cookieParser from 'cookie-parser'
import express, { type NextFunction, type Request, type Response } from 'express'
import { type Answer, actions } from './site.ts'
import { type Cookie, cookieOptions, findVisitor, isOwnForm } from './visitor.ts'

const app = express()
// How many proxies stand before it: each visitor's address is the one that they report.
app.set('trust proxy', Number(process.env.TRUST_PROXY ?? 0))
app.use(express.urlencoded({ extended: false }), cookieParser())

app.use((req, res, next) => {
  if (req.method === 'GET' || isOwnForm(req.headers)) return next()
  res.status(403).send('This form comes from another site.')
})

app.use(async (req, res, next) => {
  const { user, cookies } = await findVisitor(req.cookies)
  setCookies(res, cookies)
  res.locals.user = user
  next()
})

for (const [name, action] of Object.entries(actions)) {
  const [method, path = ''] = name.split(' ')
  const route = method === 'GET' ? app.get.bind(app) : app.post.bind(app)
  route(path, async (req: Request, res: Response) => {
    const { body: form = {}, cookies, ip: clientAddress } = req
    send(res, await action({ user: res.locals.user, form, cookies, clientAddress }))
  })
}

// A route of your own, for users who are signed in
app.get('/me', signedIn, (_req, res) => {
  res.json({ id: res.locals.user.id, name: res.locals.user.name })
})

function signedIn(_req: Request, res: Response, next: NextFunction) {
  if (res.locals.user === undefined) return res.redirect(303, '/sign-in')
  next()
}

function send(res: Response, { html, location, status = 200, cookies = [] }: Answer) {
  setCookies(res, cookies)
  res.set('cache-control', 'no-store')
  if (location === undefined) res.status(status).type('html').send(html)
  else res.redirect(303, location)
}

function setCookies(res: Response, cookies: Cookie[]) {
  for (const { name, value, maxAgeSeconds } of cookies)
    res.cookie(name, value, { ...cookieOptions, maxAge: maxAgeSeconds * 1000 })
}

const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`))
