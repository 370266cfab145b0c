import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import type { ScimNames } from './scim-user.ts'
import type { ScimServices } from './services.ts'
import { findScimUser } from './write-scim-user.ts'

/**
 * SCIM 2.0 (RFC 7643, RFC 7644), by which identity providers such as Okta and Entra ID create, change and deactivate the
 * users of an account. Mount it with the package `@clientele/scim`.
 *
 * @example
 * const { userName, externalId } = await clientele.scim.findNames(accountId, userId)
 */
export interface ScimApi {
  /**
   * Finds the names of a user at the account's identity provider: `{ userName, externalId, givenName, familyName }`. A user
   * who was not created through SCIM has the e-mail address as `userName` and no `externalId`.
   *
   * @throws ClienteleError `user_not_found`
   */
  findNames(call: CallInput, userId: string): Promise<ScimNames>
}

export function createScimApi(services: ScimServices): { scim: ScimApi } {
  return {
    scim: {
      findNames: async (call, userId) =>
        (await findScimUser(services, readCall(services, call), readId({ userId }))).names,
    },
  }
}
