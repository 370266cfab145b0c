import { bodyParser } from '@koa/bodyparser'
import Koa, { type Context } from 'koa'
import { type Answer, actions } from './site.ts'
import { type Cookie, cookieOptions, findVisitor, isOwnForm } from './visitor.ts'

// How many proxies stand before it: each visitor's address is the one that they report.
const proxies = Number(process.env.TRUST_PROXY ?? 0)
const app = new Koa({ proxy: proxies > 0, maxIpsCount: proxies })

app.use(async (ctx, next) => {
  if (ctx.method === 'GET' || isOwnForm(ctx.headers)) return next()
  ctx.throw(403, 'This form comes from another site.')
})
app.use(bodyParser({ enableTypes: ['form'] }))

app.use(async (ctx, next) => {
  const { user, cookies } = await findVisitor(readCookies(ctx))
  setCookies(ctx, cookies)
  ctx.state.user = user
  return next()
})

app.use(async (ctx, next) => {
  const action = actions[`${ctx.method} ${ctx.path}`]
  if (action === undefined) return next()
  const form: Record<string, string> = Object(ctx.request.body)
  const { user } = ctx.state
  send(ctx, await action({ user, form, cookies: readCookies(ctx), clientAddress: ctx.ip }))
})

// A route of your own, for users who are signed in
app.use((ctx) => {
  if (ctx.path !== '/me') return
  const { user } = ctx.state
  if (user === undefined) return send(ctx, { location: '/sign-in' })
  ctx.body = { id: user.id, name: user.name }
})

function readCookies(ctx: Context) {
  const names = ['token', 'refresh_token', 'challenge']
  return Object.fromEntries(names.map((name) => [name, ctx.cookies.get(name)]))
}

function send(ctx: Context, { html, location, status = 200, cookies = [] }: Answer) {
  setCookies(ctx, cookies)
  ctx.set('cache-control', 'no-store')
  ctx.type = 'html'
  ctx.body = html ?? ''
  ctx.status = status
  if (location === undefined) return
  ctx.redirect(location)
  ctx.status = 303
}

function setCookies(ctx: Context, cookies: Cookie[]) {
  for (const { name, value, maxAgeSeconds } of cookies)
    ctx.cookies.set(name, value, { ...cookieOptions, maxAge: maxAgeSeconds * 1000 })
}

const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`))
