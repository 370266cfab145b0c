import type { LoopTurns } from '../base/runtime/loop-turns.ts'
import type { BaseServices } from '../base/services.ts'
import type { ApiKeysServices } from '../capabilities/api-keys/services.ts'
import type { TokensServices } from '../capabilities/tokens/services.ts'

/** What the actions of this room work with. */
export type MountServices = BaseServices &
  ApiKeysServices &
  TokensServices & {
    /** Whether a request's own `X-Request-Id` is taken over */
    trustsRequestIds: boolean
    /** How accounts share the event loop */
    loopTurns: LoopTurns
  }
