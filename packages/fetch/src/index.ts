/** Clientele's routes and guard for any Fetch-API framework (`Request` and `Response`). @module */
import type {
  Clientele,
  GuardOptions,
  HttpRequest,
  Mountable,
  TokenValidator,
  ValidatedToken,
  Verifier,
} from '@clientele/core'
import {
  ClienteleError,
  checkHandlerArguments,
  createGuard,
  toRefusal,
  toResponse,
} from '@clientele/core'

export interface HandlerOptions {
  /** The path prefix of the routes: `/api/v1`. @default none */
  prefix?: string
  /** The caller's address, if you know it: from a field that your own proxy sets, for instance. @default unknown */
  clientAddress?: (request: Request) => string | undefined
}

/** Answers a request, or undefined when its path is not one of Clientele's. */
export type ClienteleHandler = (request: Request) => Promise<Response | undefined>

/** The user of a request to one of the host's routes. */
export interface RequestUser<User = ValidatedToken['user']> {
  userId: string
  /** Undefined behind a guard of a validator, which has no profile data */
  user: User
  /** The claims of the verified token, as its issuer has set them; in a token of ours `aud` is the account's id */
  claims: ValidatedToken['claims']
}

/** Resolves with the user of a request, or throws the `Response` to return instead. */
export type RequestGuard<User = ValidatedToken['user']> = (
  request: Request,
) => Promise<RequestUser<User>>
type Options = GuardOptions<Request>

/**
 * The routes at and below `/client/user`, `/client/account`, `/client/event` and `/client/webhook`, as a function. Hand
 * it a request with an unread body: code that needs the body earlier reads `request.clone()`.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly; the promise rejects with it when an operation
 *   needs a body that has been read
 * @example
 * const handler = clienteleHandler(clientele, { prefix: '/api/v1' })
 * const answer = async (request: Request) =>
 *   (await handler(request)) ?? new Response('Not found', { status: 404 })
 */
export function clienteleHandler(
  clientele: Mountable,
  options: HandlerOptions = {},
): ClienteleHandler {
  checkHandlerArguments(clientele, options)
  const prefix = (options.prefix ?? '').replace(/\/+$/, '')
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    if (!pathname.startsWith(prefix)) return undefined
    let wasRead = false
    async function* readBody(): AsyncGenerator<Uint8Array> {
      wasRead = request.bodyUsed || request.body?.locked === true
      if (request.body !== null) yield* request.body
    }
    const response = await clientele.handle({
      method: request.method,
      url: pathname.slice(prefix.length) + search,
      mountPath: prefix,
      ...readHeaders(request),
      body: readBody(),
      clientAddress: options.clientAddress?.(request),
      // Some hosts create it on access.
      get signal() {
        return request.signal
      },
    })
    if (wasRead) throw new ClienteleError('configuration_invalid', wasReadMessage)
    return response && toResponse(request, response)
  }
}

const wasReadMessage = 'clienteleHandler needs an unread body: read a clone of it, request.clone().'

/**
 * Resolves with the user of a request's valid token (`Authorization: Bearer <JWT>`), or throws the `Response` to return
 * instead: 401 problem details. It takes a Clientele, or a validator, which knows only the user's id.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example
 * const guard = requireUser(clientele)
 * async function answer(request: Request): Promise<Response> {
 *   const { user } = await guard(request)
 *   return Response.json({ email: user.email })
 * }
 */
export function requireUser(source: TokenValidator, options?: Options): RequestGuard<undefined>
export function requireUser(source: Clientele, options?: Options): RequestGuard
export function requireUser(source: Verifier, options?: Options): RequestGuard<unknown> {
  const guard = createGuard(source, options)
  return async (request) => {
    const result = await guard(readHeaders(request), request)
    if ('response' in result) throw toResponse(request, result.response)
    return { userId: result.clientUserId, user: result.clientUser, claims: result.clientClaims }
  }
}

/**
 * Converts an error of Clientele's methods to the response that Clientele's routes give: a `validation_failed` to 422 with the
 * broken rules, a `user_not_found` to 404. Undefined for faults (500 and above) and all other errors.
 *
 * @example
 * async function answer(work: () => Promise<Response>): Promise<Response> {
 *   try {
 *     return await work()
 *   } catch (error) {
 *     const response = toErrorResponse(error)
 *     if (response === undefined) throw error
 *     return response
 *   }
 * }
 */
export function toErrorResponse(error: unknown): Response | undefined {
  const refusal = toRefusal(error)
  return refusal && new Response(refusal.body, { status: refusal.status, headers: refusal.headers })
}

/**
 * `Headers` joins repeated fields with a comma and a space, and may trim the space after an empty last one. No
 * field that must not repeat has such a comma in its value.
 */
function readHeaders({ headers }: Request): Pick<HttpRequest, 'headers' | 'rawHeaders'> {
  const rawHeaders = [...headers].flatMap(([name, value]) =>
    value.split(/, |,$/).flatMap((line) => [name, line]),
  )
  return { headers: Object.fromEntries(headers), rawHeaders }
}
