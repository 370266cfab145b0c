/** Clientele's routes and guard for Fastify 5. @module */
import type { GuardedUser, GuardOptions, HttpResponse, Mountable, Verifier } from '@clientele/core'
import { checkRoutesArguments, createGuard, makeRefusals, toOperationSchema } from '@clientele/core'
import { toHttpRequest, toReadable } from '@clientele/core/node'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest extends Partial<GuardedUser> {}
}

export interface RoutesOptions {
  /** The caller's address, if you know it (`(request) => request.ip` with `trustProxy`). @default unknown */
  clientAddress?: (request: FastifyRequest) => string | undefined
}

/**
 * Fastify's errors about a content type before it calls a handler; the second is for a QUERY without a content type.
 */
const contentTypeFault = /^FST_ERR_(?:CTP_|ROUTE_MISSING_CONTENT_TYPE$)/

/**
 * The routes at and below `/client/user`, `/client/account`, `/client/event` and `/client/webhook`, to register under any
 * prefix. It reads bodies itself, without the host's parsers.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example await app.register(clienteleRoutes(clientele), { prefix: '/api/v1' })
 */
export function clienteleRoutes(
  clientele: Mountable,
  options: RoutesOptions = {},
): FastifyPluginAsync<{ prefix?: string }> {
  checkRoutesArguments(clientele, options)
  const routes: FastifyPluginAsync = async (app) => {
    const segments = app.prefix.replace(/\/+$/, '').split('/').length
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      // A prefix may contain parameters: their values come from the request.
      const mountPath = request.url.split('/', segments).join('/')
      const url = request.url.slice(mountPath.length)
      const host = { url, mountPath, clientAddress: options.clientAddress?.(request) }
      const response = await clientele.handle(toHttpRequest(request.raw, reply.raw, host))
      return response === undefined ? reply.callNotFound() : send(reply, response)
    }
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    // Accept every content type here: the routes check it.
    app.setErrorHandler<Error & { code?: string }>((error, request, reply) => {
      if (contentTypeFault.test(error.code ?? '')) return handler(request, reply)
      throw error
    })
    const api = app.hasDecorator('swagger') ? await clientele.openApi() : undefined
    for (const { method, path } of clientele.operations) {
      const config = show(api && ((host) => toOperationSchema(api, { method, path }, host)))
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      app.route({ method, url, handler, exposeHeadRoute: false, config })
    }
    // HEAD, and paths that are not an operation.
    const byRoot = Map.groupBy(clientele.operations, ({ path }) => path.split('/', 3).join('/'))
    for (const [root, below] of byRoot) {
      const atRoot = below.filter(({ path }) => path === root).map(({ method }): string => method)
      const others = app.supportedMethods.filter((method) => !atRoot.includes(method))
      app.route({ method: others, url: root, handler, config: show() })
      app.all(`${root}/*`, { config: show() }, handler)
    }
  }
  const plugin: FastifyPluginAsync<{ prefix?: string }> = async (app, { prefix = '' }) => {
    for (const name of ['clientUser', 'clientUserId', 'clientClaims'])
      if (!app.hasRequestDecorator(name)) app.decorateRequest(name)
    await app.register(routes, { prefix })
  }
  // The host's requests are decorated too, not only those below the prefix.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

/**
 * Lets a request pass that carries a valid token of a client user (`Authorization: Bearer <JWT>`), and puts the user on
 * `request.clientUser`, the user's id on `request.clientUserId`; answers any other with 401 problem details. It takes a
 * Clientele, or a validator, which knows only the id. A hook: `onRequest` or `preHandler`.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example app.get('/me', { onRequest: requireUser(clientele) }, (request) => request.clientUser)
 */
export function requireUser(
  source: Verifier,
  options?: GuardOptions<FastifyRequest>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  const guard = createGuard(source, options)
  return async (request, reply) => {
    const result = await guard(request.raw, request)
    if (!('response' in result)) return void Object.assign(request, result)
    return send(reply, result.response)
  }
}

/**
 * An error handler that answers the errors of Clientele's methods that your routes do not catch, as Clientele's routes answer
 * them: a `validation_failed` with 422 and the broken rules, a `user_not_found` with 404. Faults (500 and above) and all
 * other errors go on to the error handler of the parent, in the end Fastify's own.
 *
 * @throws ClienteleError `configuration_invalid` when it is given arguments: it was not called
 * @example app.setErrorHandler(clienteleErrors())
 */
export function clienteleErrors(...given: never[]): FastifyInstance['errorHandler'] {
  const toRefusal = makeRefusals(given)
  return (error, _request, reply) => {
    const response = toRefusal(error)
    if (response === undefined) throw error
    return send(reply, response)
  }
}

function send(reply: FastifyReply, { status, headers, body, bytes, stream }: HttpResponse) {
  reply.code(status).headers(headers)
  // To the type of a text of JSON, Fastify would add a charset; to that of bytes, it adds nothing.
  const text = headers['content-type']?.includes('charset=') ? body : body && Buffer.from(body)
  return reply.send(toReadable(reply.raw, stream) ?? bytes ?? text)
}

/**
 * Shows an operation to `@fastify/swagger`, if the host uses it, and hides other routes. The route has no `schema`, because
 * Fastify would validate requests with it, and send other responses than Clientele.
 */
function show(describe = (_host?: object): object => ({ hide: true })): object {
  type Given = { openapiObject?: object }
  return { swaggerTransform: (given: Given) => ({ schema: describe(given.openapiObject) }) }
}
