import { z } from 'zod'
import { pathIdSchema } from '../../base/input/id.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { findScimUser } from '../../capabilities/scim/write-scim-user.ts'
import { respondWithJson } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, visitorsWith } from './console-operation.ts'

const pathSchema = z.object({ user_id: pathIdSchema('user_not_found') })

/** The names of users at their identity provider. */
export function createScimOperations(services: ConsoleServices): ConsoleOperation[] {
  return [
    defineOperation(visitorsWith('users:read'), {
      id: 'findConsoleScimNames',
      method: 'GET',
      path: '/scim-names/{user_id}',
      summary: 'The names of a user at the identity provider',
      pathSchema,
      handle: async ({ call }, { path }) => {
        const { names } = await findScimUser(services, call, path.user_id)
        return respondWithJson(200, JSON.stringify(toWire(names)))
      },
    }),
  ]
}
