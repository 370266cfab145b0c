import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import type { Route } from '../../http/route.ts'
import { createRequestHandler, type RequestHandler } from '../../mount/handle-request.ts'
import type { ConsoleServices } from '../services.ts'
import { createAccountOperations } from './account-operations.ts'
import { admitVisitor } from './admit-visitor.ts'
import { createApiKeyOperations } from './api-key-operations.ts'
import { addConsoleHeaders } from './console-headers.ts'
import { type Access, accessToApi, unauthenticated } from './console-operation.ts'
import type { ConsoleOptions } from './console-options.ts'
import { apiPath } from './console-path.ts'
import { createDataOperations } from './data-operations.ts'
import { createFileOperations } from './file-operations.ts'
import { createIssuerOperations } from './issuer-operations.ts'
import { createPasskeySettingsOperations } from './passkey-settings-operations.ts'
import { createPolicyOperations } from './policy-operations.ts'
import { createScimOperations } from './scim-operations.ts'
import { createSessionOperations } from './session-operations.ts'
import { createSigningKeyOperations } from './signing-key-operations.ts'
import { createWebhookOperations } from './webhook-operations.ts'

/** Creates the handler of `/client/console`: the page's files, its operations, and the customers' API. */
export function createConsoleHandler(
  services: ConsoleServices,
  handleApi: RequestHandler,
  options: ConsoleOptions,
): RequestHandler {
  const operations = [
    ...createFileOperations(options),
    ...createSessionOperations(services, options),
    ...createDataOperations(services),
    ...createAccountOperations(services),
    ...createApiKeyOperations(services),
    ...createIssuerOperations(services),
    ...createSigningKeyOperations(services),
    ...createPasskeySettingsOperations(services),
    ...createPolicyOperations(services),
    ...createScimOperations(services),
    ...createWebhookOperations(services),
  ]
  const accessOf = new Map(operations.map(({ route, access }) => [route, access]))
  const handleOwn = createRequestHandler(
    services,
    operations.map(({ route }) => route),
  )

  return async (request) => {
    let cookie: string | undefined
    const answer = (
      handle: RequestHandler,
      asked: HttpRequest,
      accessTo: (route: Route) => Access,
    ): Promise<HttpResponse | undefined> =>
      handle(asked, async (about) => {
        const access = accessTo(about.route)
        const admitted = await admitVisitor(services, options, request, access, about)
        cookie = admitted.cookie
        return admitted
      })
    const inner = toApiRequest(request)
    const response =
      (inner && (await answer(handleApi, inner, accessToApi))) ??
      (await answer(handleOwn, request, (route) => accessOf.get(route) ?? unauthenticated))
    if (response !== undefined) addConsoleHeaders(response, cookie)
    return response
  }
}

/** The request to the customers' API behind `/client/console/api`; undefined for other paths. */
function toApiRequest(request: HttpRequest): HttpRequest | undefined {
  if (!request.url.startsWith(`${apiPath}/`)) return undefined
  // The rest is inherited: a copy would have no members of a class, and would make the signal of each request.
  return Object.create(request, { url: { value: request.url.slice(apiPath.length) } })
}
