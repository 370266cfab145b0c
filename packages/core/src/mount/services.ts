import type { AccountRequests } from '../base/runtime/account-requests.ts'
import type { BodyRoom } from '../base/runtime/body-room.ts'
import type { LoopTurns } from '../base/runtime/loop-turns.ts'
import type { WriteTurns } from '../base/runtime/write-turns.ts'
import type { BaseServices } from '../base/services.ts'
import type { ApiKeysServices } from '../capabilities/api-keys/services.ts'
import type { TokensServices } from '../capabilities/tokens/services.ts'

/** The services that this room needs. */
export type MountServices = BaseServices &
  ApiKeysServices &
  TokensServices & {
    /** Whether the `X-Request-Id` of a request is used */
    trustsRequestIds: boolean
    /** Shares the event loop among accounts */
    loopTurns: LoopTurns
    /** The turns of requests that were authenticated again: they wait for no database any more */
    readmittedTurns: LoopTurns
    /** The turns of callers who are not authenticated */
    strangersTurns: LoopTurns
    /** Lets writes wait before they begin */
    writeTurns: WriteTurns
    /** Bounds the memory that bodies take */
    bodyRoom: BodyRoom
    accountRequests: AccountRequests
  }
