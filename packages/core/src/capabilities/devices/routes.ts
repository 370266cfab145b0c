import { z } from 'zod'
import { idSchema, pathIdSchema } from '../../base/input/id.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { timeSchema } from '../../http/wire-schemas.ts'
import { userPathSchema } from '../users/routes.ts'
import { listDevices } from './list-devices.ts'
import { removeDevice, removeDevices } from './remove-devices.ts'
import type { DevicesServices } from './services.ts'

const tag: Tag = {
  name: 'Devices',
  description:
    'The devices on which a user signs in without a second factor: list and forget them.',
}
const absentDevice = pathIdSchema('device_not_found')
export const deviceSchema = z.object({
  id: idSchema,
  name: z
    .string()
    .max(100)
    .nullable()
    .meta({ examples: ['Laptop'] }),
  created_at: timeSchema,
  last_used_at: timeSchema,
  expires_at: timeSchema,
})
const deviceListSchema = z.object({ data: z.array(deviceSchema) }).meta({ id: 'DeviceList' })

export function createDeviceRoutes(services: DevicesServices): Route[] {
  const path = `${rootPath}/{id}/device`
  return [
    defineRoute({
      id: 'listDevices',
      method: 'GET',
      path,
      summary: "List a user's remembered devices, oldest first",
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      responses: { 200: { description: 'The devices', schema: deviceListSchema } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path: { id } }) => {
        const devices = await listDevices(services, call, id)
        return respondWithJson(200, JSON.stringify({ data: devices.map(toWire) }))
      },
    }),
    defineRoute({
      id: 'removeDevices',
      method: 'DELETE',
      path,
      summary: 'Forget every device of a user',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      responses: { 204: { description: 'All devices are forgotten' } },
      errors: ['user_not_found'],
      handle: async ({ call }, { path: { id } }) => {
        await removeDevices(services, call, id)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'removeDevice',
      method: 'DELETE',
      path: `${path}/{device_id}`,
      summary: 'Forget one device of a user',
      tag,
      scope: 'users:write',
      pathSchema: z.object({ id: absentDevice, device_id: absentDevice }),
      responses: { 204: { description: 'The device is forgotten' } },
      errors: ['device_not_found'],
      handle: async ({ call }, { path: { id, device_id } }) => {
        await removeDevice(services, call, id, device_id)
        return respondWithoutBody(204)
      },
    }),
  ]
}
