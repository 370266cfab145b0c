/** Clientele's routes and guard for Koa 2 and 3. @module */
import type {
  BodyFault,
  GuardedUser,
  GuardOptions,
  HttpResponse,
  Mountable,
  Verifier,
} from '@clientele/core'
import { checkRoutesArguments, createGuard, makeRefusals } from '@clientele/core'
import { toHttpRequest, toReadable } from '@clientele/core/node'
import type { Context, Middleware } from 'koa'

declare module 'koa' {
  interface DefaultState extends Partial<GuardedUser> {}
}

export interface RoutesOptions {
  /** The path prefix of the routes: `/api/v1`. @default none */
  prefix?: string
  /** The caller's address, if you know it (behind a proxy: `(ctx) => ctx.ip` with `app.proxy`). @default unknown */
  clientAddress?: (ctx: Context) => string | undefined
}

/**
 * The routes at and below `/client/user`, `/client/account`, `/client/event` and `/client/webhook`; every other request
 * goes on to the next middleware. They work with or without a body parser.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example app.use(clienteleRoutes(clientele, { prefix: '/api/v1' }))
 */
export function clienteleRoutes(clientele: Mountable, options: RoutesOptions = {}): Middleware {
  checkRoutesArguments(clientele, options, true)
  const prefix = (options.prefix ?? '').replace(/\/+$/, '')
  return async (ctx, next) => {
    if (!ctx.url.startsWith(prefix)) return next()
    const { req, res, originalUrl } = ctx
    const url = ctx.url.slice(prefix.length)
    // Parsers set `{}` if they have parsed nothing.
    const parsedBody = req.readableDidRead ? readParsedBody(ctx) : undefined
    const host = {
      url,
      // Longer than the prefix if the middleware is itself mounted below a path.
      mountPath: originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : prefix,
      parsedBody,
      // An error of the host's parser that it left to the routes.
      bodyFault: req.readableDidRead && parsedBody === undefined ? malformed : undefined,
      clientAddress: options.clientAddress?.(ctx),
    }
    const response = await clientele.handle(toHttpRequest(req, res, host))
    return response === undefined ? next() : send(ctx, response)
  }
}

/**
 * Lets a request pass that carries a valid token of a client user (`Authorization: Bearer <JWT>`), and puts the user on
 * `ctx.state.clientUser`, the user's id on `ctx.state.clientUserId`; answers any other with 401 problem details. It
 * takes a Clientele, or a validator, which knows only the id.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example router.get('/me', requireUser(clientele), (ctx) => { ctx.body = ctx.state.clientUser })
 */
export function requireUser(source: Verifier, options?: GuardOptions<Context>): Middleware {
  const guard = createGuard(source, options)
  return async (ctx, next) => {
    const result = await guard(ctx.req, ctx)
    if ('response' in result) return send(ctx, result.response)
    Object.assign(ctx.state, result)
    return next()
  }
}

/**
 * Answers the errors of Clientele's methods that the middleware after it does not catch, as Clientele's routes answer them: a
 * `validation_failed` with 422 and the broken rules, a `user_not_found` with 404. Faults (500 and above) and all other
 * errors are thrown on. Use it before your routes.
 *
 * @throws ClienteleError `configuration_invalid` when it is given arguments: it was not called
 * @example app.use(clienteleErrors())
 */
export function clienteleErrors(...given: never[]): Middleware {
  const toRefusal = makeRefusals(given)
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const response = toRefusal(error)
      if (response === undefined) throw error
      send(ctx, response)
    }
  }
}

const malformed: BodyFault = 'malformed_json'

function readParsedBody({ request }: Context): unknown {
  return 'body' in request ? request.body : undefined
}

function send(ctx: Context, { status, headers, body, stream }: HttpResponse): void {
  const { 'set-cookie': cookie, ...others } = headers
  ctx.set(others)
  // Keep the host's own state.
  if (cookie !== undefined) ctx.append('set-cookie', cookie)
  if (stream !== undefined) ctx.body = toReadable(ctx.res, stream)
  else if (body !== undefined) ctx.body = body
  // Or Koa would write the status's name. It makes the status 204, so the status comes last.
  else if (!('content-type' in headers)) ctx.body = null
  ctx.status = status
}
