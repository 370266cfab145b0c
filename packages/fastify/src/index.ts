/** Clientele's routes and guard for Fastify 5. @module */
import type { Clientele, GuardOptions, HttpResponse, ValidatedToken } from '@clientele/core'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client user whom `requireUser` let through */
    clientUser?: ValidatedToken['user']
    /** What that user's verified token says; `aud` is the account's id */
    clientClaims?: ValidatedToken['claims']
  }
}

export interface RoutesOptions {
  /** The caller's address, where you know it (`(request) => request.ip` with `trustProxy`). @default unknown */
  clientAddress?: (request: FastifyRequest) => string | undefined
}

/**
 * The routes below `/client/user`, to register under any prefix. It reads bodies itself, past the host's parsers.
 *
 * @example await app.register(clienteleRoutes(clientele), { prefix: '/api/v1' })
 */
export function clienteleRoutes(
  clientele: Clientele,
  options: RoutesOptions = {},
): FastifyPluginAsync {
  return async (app) => {
    const mountPath = app.prefix.replace(/\/+$/, '')
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { raw } = request
      const response = await clientele.handle({
        method: request.method,
        url: (raw.url ?? '').slice(mountPath.length),
        mountPath,
        headers: raw.headers,
        rawHeaders: raw.rawHeaders,
        body: raw,
        clientAddress: options.clientAddress?.(request),
      })
      if (response !== undefined) return send(reply, response)
      reply.callNotFound()
      return reply
    }
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    // What Fastify makes of a content type is not asked: ours is the rule.
    app.setErrorHandler<Error & { code?: string }>((error, request, reply) => {
      if (error.code?.startsWith('FST_ERR_CTP_')) return answer(request, reply)
      throw error
    })
    app.all('/client/user', answer)
    app.all('/client/user/*', answer)
  }
}

/**
 * Lets a request pass that carries a valid token of a client user (`Authorization: Bearer <JWT>`), and puts the user
 * on `request.clientUser`; answers any other with 401 problem details. A hook: `onRequest` or `preHandler`.
 *
 * @example app.get('/me', { onRequest: requireUser(clientele) }, (request) => request.clientUser)
 */
export function requireUser(
  clientele: Clientele,
  options?: GuardOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  return async (request, reply) => {
    const result = await clientele.guard(request.raw, options)
    if ('response' in result) return send(reply, result.response)
    request.clientUser = result.user
    request.clientClaims = result.claims
    return undefined
  }
}

function send(reply: FastifyReply, { status, headers, body }: HttpResponse): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
