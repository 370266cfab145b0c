import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { DeviceStore } from './store.ts'

/** The services that this room needs. */
export type DevicesServices = BaseServices &
  EventsServices &
  UsersServices & { repository: { devices: DeviceStore } }
