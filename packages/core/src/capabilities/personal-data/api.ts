import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import { type ErasureReceipt, eraseUser } from './erase-user.ts'
import {
  type ExportDataInput,
  exportRequestSchema,
  exportUser,
  type PersonalData,
  toPersonalData,
} from './export-user.ts'
import type { PersonalDataServices } from './services.ts'

/**
 * A person's rights: to read their stored data, and to be forgotten; a part of `clientele.users`.
 *
 * @example
 * const { user, sessions, events } = await clientele.users.exportData(accountId, userId)
 * const { erasedAt, receipt } = await clientele.users.erase(accountId, userId)
 */
export interface PersonalDataApi {
  /**
   * Reads all stored data about a user: the user, the sessions, second factors without secrets, passkeys, identities,
   * verified addresses and addresses of e-mail tokens, and the user's events, oldest first, at most 500 per call;
   * `after` continues with `nextCursor`. Each call writes an event, `user.exported`.
   *
   * @throws ClienteleError `user_not_found`, `validation_failed`
   */
  exportData(call: CallInput, userId: string, input?: ExportDataInput): Promise<PersonalData>
  /**
   * Deletes a user with all their data, and removes the person from the rows that stay: events remain in their order,
   * without name, roles, metadata and e-mail addresses, including former ones. Permanent. Supports `idempotencyKey` of
   * the call.
   *
   * @throws ClienteleError `user_not_found`, also for a user who was deleted before; `idempotency_in_progress`,
   *   `idempotency_key_reused`, `secret_wrong`
   */
  erase(call: CallInput, userId: string): Promise<ErasureReceipt>
}

export function createPersonalDataApi(services: PersonalDataServices): { users: PersonalDataApi } {
  return {
    users: {
      exportData: async (call, userId, input = {}) => {
        const user = readId({ userId })
        const request = parseInput(exportRequestSchema, input)
        return toPersonalData(await exportUser(services, readCall(services, call), user, request))
      },
      erase: async (call, userId) => {
        const user = readId({ userId })
        const { erased_at, ...rest } = await eraseUser(services, readCall(services, call), user)
        return { ...rest, erasedAt: new Date(erased_at) }
      },
    },
  }
}
