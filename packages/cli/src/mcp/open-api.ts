import type { OpenApiDocument } from '@clientele/core'
import { isApiDocument } from './api-document.ts'
import type { ApiDoor } from './api-door.ts'
import type { ApiTools } from './api-tool.ts'
import { buildRequest } from './build-request.ts'

const documentPath = '/client/user/openapi.json'
const maxDocumentBytes = 8 * 1024 * 1024

/**
 * Reads the OpenAPI document of the server.
 *
 * @throws Error if there is none
 */
export async function readDocument(door: ApiDoor): Promise<OpenApiDocument> {
  const request = { method: 'GET', path: documentPath, headers: {}, body: undefined }
  const { status, body } = await door.send(request, maxDocumentBytes)
  if (status === 200 && isApiDocument(body)) return body
  throw new Error(
    `There is no OpenAPI document at ${documentPath} below --url (${status}): --url is where the routes are mounted, such as http://127.0.0.1:3000/api/v1.`,
  )
}

/**
 * Asks one question that changes nothing. What the key may do is no matter: each call says it.
 *
 * @throws Error if the server refuses the key
 */
export async function checkKey(door: ApiDoor, { tools }: ApiTools): Promise<void> {
  const tool = [...tools.values()].find(
    (each) => each.isReading && each.tool.inputSchema.required?.length === 0,
  )
  if (tool === undefined) return
  const { status, body } = await door.send(buildRequest(tool, {}), maxDocumentBytes)
  if (status === 401)
    throw new Error(
      `CLIENTELE_API_KEY is refused: ${Object(body).detail ?? 'it is wrong.'} Is it whole, of an account of this server, ` +
        'and neither revoked nor expired?',
    )
}
