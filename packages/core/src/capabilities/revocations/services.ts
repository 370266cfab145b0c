import type { BaseServices } from '../../base/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { TokensServices } from '../tokens/services.ts'

/** What the actions of this room work with. */
export type RevocationsServices = BaseServices & EventsServices & TokensServices
