import type { HttpRequest, HttpResponse } from '../http/message.ts'
import type { OpenApiDocument } from '../openapi/open-api-document.ts'
import type { Operation } from './operations.ts'

/** The object that adapters mount: a Clientele, or its console. */
export interface Mountable {
  /** For adapters: the operations, for frameworks that register each one. */
  operations: readonly Operation[]
  /**
   * Creates the OpenAPI 3.1 document of the operations, once and on first use.
   *
   * @example const { paths } = await clientele.openApi()
   */
  openApi(): Promise<OpenApiDocument>
  /**
   * For adapters: answers a request below its paths; undefined for other paths, which the host handles. It never
   * throws: errors become responses with problem details (RFC 9457).
   */
  handle(request: HttpRequest): Promise<HttpResponse | undefined>
}
