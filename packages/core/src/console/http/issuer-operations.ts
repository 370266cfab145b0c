import { z } from 'zod'
import { pathIdSchema } from '../../base/input/id.ts'
import { parseInput } from '../../base/input/input.ts'
import { toWire, wireObject } from '../../base/input/wire-names.ts'
import {
  createIssuer,
  toTrustedIssuer,
} from '../../capabilities/trusted-issuers/create-trusted-issuer.ts'
import { deleteIssuer } from '../../capabilities/trusted-issuers/delete-trusted-issuer.ts'
import {
  issuerChangesSchema,
  issuerFields,
  newIssuerSchema,
} from '../../capabilities/trusted-issuers/issuer-schema.ts'
import { updateIssuer } from '../../capabilities/trusted-issuers/update-trusted-issuer.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, operatorsOfAccount } from './console-operation.ts'

const pathSchema = z.object({ issuer_id: pathIdSchema('issuer_not_found') })

/** The issuers that an account trusts, without their secrets. */
export function createIssuerOperations(services: ConsoleServices): ConsoleOperation[] {
  return [
    defineOperation(operatorsOfAccount, {
      id: 'listConsoleIssuers',
      method: 'GET',
      path: '/issuers',
      summary: 'The issuers that the account trusts',
      handle: async ({ call }) => {
        const records = await services.repository.trustedIssuers.list(call.accountId)
        const issuers = records.map((record) => toWire(toTrustedIssuer(record)))
        return respondWithJson(200, JSON.stringify({ issuers }))
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'createConsoleIssuer',
      method: 'POST',
      path: '/issuers',
      summary: 'Trust an issuer',
      bodySchema: wireObject(issuerFields),
      handle: async ({ call }, { body }) => {
        const issuer = await createIssuer(services, call, parseInput(newIssuerSchema, body))
        return respondWithJson(201, JSON.stringify(toWire(issuer)))
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'changeConsoleIssuer',
      method: 'PATCH',
      path: '/issuers/{issuer_id}',
      summary: 'Change a trusted issuer',
      pathSchema,
      bodySchema: wireObject(issuerChangesSchema.shape),
      handle: async ({ call }, { path, body }) => {
        const issuer = await updateIssuer(services, call, path.issuer_id, body)
        return respondWithJson(200, JSON.stringify(toWire(issuer)))
      },
    }),
    defineOperation(operatorsOfAccount, {
      id: 'deleteConsoleIssuer',
      method: 'DELETE',
      path: '/issuers/{issuer_id}',
      summary: 'Stop trusting an issuer',
      pathSchema,
      handle: async ({ call }, { path }) => {
        await deleteIssuer(services, call, path.issuer_id)
        return respondWithoutBody(204)
      },
    }),
  ]
}
