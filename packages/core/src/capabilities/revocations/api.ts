import { type CallInput, readCall } from '../../base/call/call.ts'
import { parseInput } from '../../base/input/input.ts'
import {
  type ReadRevocationsInput,
  type RevocationPage,
  readRevocations,
  readRevocationsSchema,
} from './read-revocations.ts'
import type { RevocationsServices } from './services.ts'

/**
 * What makes tokens invalid before they expire, for those who validate tokens without asking.
 *
 * @example
 * const { data, nextCursor } = await clientele.revocations.read(accountId, { wait: 25 })
 * for (const each of data) if (each.type === 'session') console.log(each.sessionId)
 */
export interface RevocationsApi {
  /**
   * Reads on in what has been revoked in an account, oldest first, none passed over: sessions that ended, users whose
   * tokens up to a moment are dead, signing keys that were removed. It is made of the account's feed of events.
   *
   * @throws ClienteleError `validation_failed`, `cursor_expired` where the feed no longer goes back that far: begin again
   *   without a cursor
   */
  read(call: CallInput, input?: ReadRevocationsInput): Promise<RevocationPage>
}

export function createRevocationsApi(services: RevocationsServices): {
  revocations: RevocationsApi
} {
  return {
    revocations: {
      read: async (call, input = {}) => {
        const checked = parseInput(readRevocationsSchema, input)
        return readRevocations(services, readCall(services, call), checked)
      },
    },
  }
}
