import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { SessionsServices } from '../sessions/services.ts'
import type { TokensServices } from '../tokens/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { ImpersonationStore } from './store.ts'

/** The services that this room needs. */
export type ImpersonationServices = BaseServices &
  AccountsServices &
  EventsServices &
  SessionsServices &
  TokensServices &
  UsersServices & { repository: { impersonation: ImpersonationStore } }
