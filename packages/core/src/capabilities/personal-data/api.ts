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
 * What a person may ask for: to see all that is kept, and to be forgotten; a part of `clientele.users`.
 *
 * @example
 * const { user, sessions, events } = await clientele.users.exportData(accountId, userId)
 * const { erasedAt, receipt } = await clientele.users.erase(accountId, userId)
 */
export interface PersonalDataApi {
  /**
   * Reads all that is kept about a user: the user, its sessions, second factors without their secrets, passkeys, identities,
   * verified and mailed addresses, and the events about it, oldest first and at most 500 a call; `after` goes on with `nextCursor`.
   * Each call is an event itself, `user.exported`.
   *
   * @throws ClienteleError `user_not_found`, `validation_failed`
   */
  exportData(call: CallInput, userId: string, input?: ExportDataInput): Promise<PersonalData>
  /**
   * Deletes a user with all that belongs to it, and takes the person out of what stays: the events are still there, in
   * their order, without name, roles, metadata, and e-mail addresses, former ones too. Permanent. Takes `idempotencyKey`
   * of the call.
   *
   * @throws ClienteleError `user_not_found`, for a user that was deleted earlier, too; `idempotency_in_progress`,
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
