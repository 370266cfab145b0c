import type { ClientUser } from '@clientele/core'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import { type Answer, actions } from './site.ts'
import { type Cookie, cookieOptions, findVisitor, isOwnForm } from './visitor.ts'

const app = new Hono<{ Variables: { user: ClientUser | undefined } }>()

app.use(async (c, next) => {
  if (c.req.method === 'GET' || isOwnForm(c.req.header())) return next()
  return c.text('This form comes from another site.', 403)
})
app.use(bodyLimit({ maxSize: 64 * 1024 }))

app.use(async (c, next) => {
  const { user, cookies } = await findVisitor(getCookie(c))
  setCookies(c, cookies)
  c.set('user', user)
  return next()
})

for (const [name, action] of Object.entries(actions)) {
  const [method = '', path = ''] = name.split(' ')
  app.on(method, path, async (c) => {
    const form = method === 'GET' ? {} : await c.req.parseBody<Record<string, string>>()
    const clientAddress = addressOf(c)
    return send(
      c,
      await action({ user: c.get('user'), form, cookies: getCookie(c), clientAddress }),
    )
  })
}

// A route of your own, for users who are signed in
app.get('/me', (c) => {
  const user = c.get('user')
  if (user === undefined) return c.redirect('/sign-in', 303)
  return c.json({ id: user.id, name: user.name })
})

/** How many proxies stand before it: each visitor's address is the one that they report. */
const proxies = Number(process.env.TRUST_PROXY ?? 0)

function addressOf(c: Context): string | undefined {
  const reported = c.req.header('x-forwarded-for')?.split(',').at(-proxies)
  return proxies > 0 && reported !== undefined ? reported.trim() : getConnInfo(c).remote.address
}

function send(c: Context, { html = '', location, status = 200, cookies = [] }: Answer) {
  setCookies(c, cookies)
  c.header('cache-control', 'no-store')
  if (location !== undefined) return c.redirect(location, 303)
  return new Response(html, { status, headers: { ...c.res.headers } })
}

function setCookies(c: Context, cookies: Cookie[]) {
  for (const { name, value, maxAgeSeconds: maxAge } of cookies)
    setCookie(c, name, value, { ...cookieOptions, maxAge })
}

const port = Number(process.env.PORT ?? 3000)
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () =>
  console.log(`Listening on http://127.0.0.1:${port}`),
)
