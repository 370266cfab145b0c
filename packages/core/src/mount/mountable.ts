import type { HttpRequest, HttpResponse } from '../http/message.ts'
import type { OpenApiDocument } from '../openapi/open-api-document.ts'
import type { Operation } from './operations.ts'

/** What adapters mount: a Clientele, or its console. */
export interface Mountable {
  /** For adapters: the operations that a framework may want to know one by one. */
  operations: readonly Operation[]
  /**
   * Makes the OpenAPI 3.1 document of the operations, once; what makes it is loaded when somebody asks.
   *
   * @example const { paths } = await clientele.openApi()
   */
  openApi(): Promise<OpenApiDocument>
  /**
   * For adapters: answers a request that is below its paths, and any other with undefined, which is the host's. It throws
   * nothing: what goes wrong is an answer with problem details (RFC 9457).
   */
  handle(request: HttpRequest): Promise<HttpResponse | undefined>
}
