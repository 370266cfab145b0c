import { z } from 'zod'
import { toWire } from '../../base/input/wire-names.ts'
import {
  listSigningKeys,
  removeSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from '../../capabilities/signing-keys/signing-keys.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, operatorsOfAccount } from './console-operation.ts'

/** Not a UUID: any other text matches no key of the account. */
const pathSchema = z.object({ key_id: z.string() })

/** The keys that sign an account's tokens, without their private parts. */
export function createSigningKeyOperations(services: ConsoleServices): ConsoleOperation[] {
  return [
    defineOperation(operatorsOfAccount, {
      id: 'listConsoleSigningKeys',
      method: 'GET',
      path: '/signing-keys',
      summary: "The account's signing keys, oldest first",
      handle: async ({ call }) => {
        const keys = await listSigningKeys(services, call)
        return respondWithJson(200, JSON.stringify({ signing_keys: keys.map(toWire) }))
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'rotateConsoleSigningKey',
      method: 'POST',
      path: '/signing-keys/rotate',
      summary: 'Rotate the signing key',
      bodySchema: z.strictObject({ now: z.boolean().default(false) }),
      handle: async ({ call }, { body }) => {
        const key = await rotateSigningKey(services, call, { now: body.now })
        return respondWithJson(201, JSON.stringify(toWire(key)))
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'retireConsoleSigningKey',
      method: 'POST',
      path: '/signing-keys/{key_id}/retire',
      summary: "End a key's signing",
      pathSchema,
      handle: async ({ call }, { path }) => {
        await retireSigningKey(services, call, path.key_id)
        return respondWithoutBody(204)
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'removeConsoleSigningKey',
      method: 'DELETE',
      path: '/signing-keys/{key_id}',
      summary: 'Revoke a compromised key and all of its tokens',
      pathSchema,
      handle: async ({ call }, { path }) => {
        await removeSigningKey(services, call, path.key_id)
        return respondWithoutBody(204)
      },
    }),
  ]
}
