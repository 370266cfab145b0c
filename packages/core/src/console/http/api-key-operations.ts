import { z } from 'zod'
import { pathIdSchema } from '../../base/input/id.ts'
import { instantSchema } from '../../base/input/instant.ts'
import { toWire, wireObject } from '../../base/input/wire-names.ts'
import { newApiKeySchema, rotateApiKeySchema } from '../../capabilities/api-keys/api-key.ts'
import { type CreatedApiKey, createApiKey } from '../../capabilities/api-keys/create-api-key.ts'
import { revokeApiKey } from '../../capabilities/api-keys/revoke-api-key.ts'
import { rotateApiKey } from '../../capabilities/api-keys/rotate-api-key.ts'
import type { HttpResponse } from '../../http/message.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, operatorsOfAccount } from './console-operation.ts'

const { name, scopes } = newApiKeySchema.shape
const { overlapSeconds } = rotateApiKeySchema.shape
const expiresAt = instantSchema('down').nullable()
const pathSchema = z.object({ key_id: pathIdSchema('api_key_not_found') })

/** An account's API keys: a secret is shown once. */
export function createApiKeyOperations(services: ConsoleServices): ConsoleOperation[] {
  return [
    defineOperation(operatorsOfAccount, {
      id: 'listConsoleApiKeys',
      method: 'GET',
      path: '/api-keys',
      summary: "The account's API keys",
      handle: async ({ call }) => {
        const keys = await services.repository.apiKeys.list(call.accountId)
        return respondWithJson(200, JSON.stringify({ api_keys: keys.map(toWire) }))
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'createConsoleApiKey',
      method: 'POST',
      path: '/api-keys',
      summary: 'Create an API key',
      bodySchema: wireObject({ name, scopes, expiresAt: expiresAt.default(null) }),
      handle: async ({ call }, { body }) =>
        respondWithMade(await createApiKey(services, call, body)),
    }),
    defineOperation(operatorsOfAccount, {
      id: 'rotateConsoleApiKey',
      method: 'POST',
      path: '/api-keys/{key_id}/rotate',
      summary: 'Replace a key; the old one stays valid for a while',
      pathSchema,
      bodySchema: wireObject({ overlapSeconds, expiresAt: expiresAt.optional() }),
      handle: async ({ call }, { path, body }) => {
        const input = { overlapSeconds: body.overlapSeconds, expiresAt: body.expiresAt }
        return respondWithMade(await rotateApiKey(services, call, path.key_id, input))
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'revokeConsoleApiKey',
      method: 'DELETE',
      path: '/api-keys/{key_id}',
      summary: 'Revoke a key',
      pathSchema,
      handle: async ({ call }, { path }) => {
        await revokeApiKey(services, call, path.key_id)
        return respondWithoutBody(204)
      },
    }),
  ]
}

/** Reads nothing more: if that failed, the secret of the new key would be lost. */
function respondWithMade({ id, apiKey }: CreatedApiKey): HttpResponse {
  return respondWithJson(201, JSON.stringify({ id, api_key: apiKey }))
}
