import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { TokensServices } from '../tokens/services.ts'

/** The services that this room needs. */
export type RevocationsServices = BaseServices & EventsServices & TokensServices
