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
 * The reasons why tokens become invalid before they expire, for validators that work without a request per token.
 *
 * @example
 * const { data, nextCursor } = await clientele.revocations.read(accountId, { wait: 25 })
 * for (const each of data) if (each.type === 'session') console.log(each.sessionId)
 */
export interface RevocationsApi {
  /**
   * Reads on in the revocations of an account, oldest first, none skipped: ended sessions, users whose tokens up to a
   * moment are revoked, removed signing keys. They are derived from the account's feed of events.
   *
   * @throws ClienteleError `validation_failed`, `cursor_expired` when the feed no longer goes back that far: start
   *   again without a cursor
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
        return readRevocations(services, readCall(services, call), checked, (each) => each)
      },
    },
  }
}
