/** Clientele's routes and guard for Koa 2 and 3. @module */
import type { Clientele, GuardOptions, HttpResponse, ValidatedToken } from '@clientele/core'
import { checkGuardArguments, checkRoutesArguments } from '@clientele/core'
import type { Context, Middleware } from 'koa'

declare module 'koa' {
  interface DefaultState {
    /** The client user whom `requireUser` let through */
    clientUser?: ValidatedToken['user']
    /** What that user's verified token says; `aud` is the account's id */
    clientClaims?: ValidatedToken['claims']
  }
}

export interface RoutesOptions {
  /** What stands before the routes: `/api/v1`. @default nothing */
  prefix?: string
  /** The caller's address, where you know it (behind a proxy: `(ctx) => ctx.ip` with `app.proxy`). @default unknown */
  clientAddress?: (ctx: Context) => string | undefined
}

/**
 * The routes at and below `/client/user`, `/client/account`, `/client/event` and `/client/webhook`; every other request
 * goes on to the next middleware. A body parser may stand before them, or none.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example app.use(clienteleRoutes(clientele, { prefix: '/api/v1' }))
 */
export function clienteleRoutes(clientele: Clientele, options: RoutesOptions = {}): Middleware {
  checkRoutesArguments(clientele, options, true)
  const prefix = (options.prefix ?? '').replace(/\/+$/, '')
  return async (ctx, next) => {
    if (!ctx.url.startsWith(prefix)) return next()
    const { req, originalUrl } = ctx
    const url = ctx.url.slice(prefix.length)
    const response = await clientele.handle({
      method: ctx.method,
      url,
      // Longer than the prefix where the middleware is itself mounted below a path.
      mountPath: originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : prefix,
      headers: req.headers,
      rawHeaders: req.rawHeaders,
      body: req,
      // Parsers leave `{}` behind where they have parsed nothing.
      parsedBody: req.readableDidRead ? readParsedBody(ctx) : undefined,
      clientAddress: options.clientAddress?.(ctx),
    })
    return response === undefined ? next() : send(ctx, response)
  }
}

/**
 * Lets a request pass that carries a valid token of a client user (`Authorization: Bearer <JWT>`), and puts the user
 * on `ctx.state.clientUser`; answers any other with 401 problem details.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example router.get('/me', requireUser(clientele), (ctx) => { ctx.body = ctx.state.clientUser })
 */
export function requireUser(clientele: Clientele, options?: GuardOptions): Middleware {
  checkGuardArguments(clientele, options)
  return async (ctx, next) => {
    const result = await clientele.guard(ctx.req, options)
    if ('response' in result) return send(ctx, result.response)
    ctx.state.clientUser = result.user
    ctx.state.clientClaims = result.claims
    return next()
  }
}

function readParsedBody({ request }: Context): unknown {
  return 'body' in request ? request.body : undefined
}

function send(ctx: Context, { status, headers, body }: HttpResponse): void {
  ctx.set(headers)
  if (body !== undefined) ctx.body = body
  // Or Koa would write the status's name. It makes the status 204, so the status comes last.
  else if (!('content-type' in headers)) ctx.body = null
  ctx.status = status
}
