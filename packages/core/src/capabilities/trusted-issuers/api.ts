import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import { createIssuer, toTrustedIssuer } from './create-trusted-issuer.ts'
import { deleteIssuer } from './delete-trusted-issuer.ts'
import {
  issuerChangesSchema,
  type NewTrustedIssuer,
  newIssuerSchema,
  type TrustedIssuerChanges,
} from './issuer-schema.ts'
import type { TrustedIssuersServices } from './services.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'
import { updateIssuer } from './update-trusted-issuer.ts'

/**
 * Other issuers whose tokens an account accepts. Changes take effect in this process at once, in others within seconds.
 *
 * @example
 * const issuer = await clientele.trustedIssuers.create(accountId, {
 *   issuer: 'https://login.example.com', audience: 'api', algorithms: ['ES256'],
 * })
 * await clientele.trustedIssuers.update(accountId, issuer.id, { audience: 'another' })
 */
export interface TrustedIssuersApi {
  /**
   * Lets an account accept the tokens of an issuer. Remote keys are read at once: if that fails, the issuer is refused,
   * and the issue gives the reason.
   *
   * @throws ClienteleError `account_not_found`, `issuer_taken`, `overloaded`, `validation_failed`
   */
  create(call: CallInput, input: NewTrustedIssuer): Promise<TrustedIssuer>
  /**
   * Lists the issuers that an account trusts, without their secrets. An account that does not exist has none.
   *
   * @throws ClienteleError `validation_failed`
   */
  list(call: CallInput): Promise<TrustedIssuer[]>
  /**
   * Changes the given members and keeps the others; the result must obey the rules of a new issuer. Another `userClaim`
   * without a `userLookup` gets its default look-up; `signIn: false` resets the members that only signing in needs.
   * Keys are read again when the change concerns the issuer's URL, its algorithms or its keys.
   *
   * @throws ClienteleError `issuer_not_found`, `issuer_taken`, `overloaded`, `validation_failed`
   */
  update(call: CallInput, issuerId: string, changes: TrustedIssuerChanges): Promise<TrustedIssuer>
  /**
   * Ends the account's trust in an issuer: its tokens are refused.
   *
   * @throws ClienteleError `issuer_not_found`
   */
  delete(call: CallInput, issuerId: string): Promise<void>
}

export function createTrustedIssuersApi(services: TrustedIssuersServices): {
  trustedIssuers: TrustedIssuersApi
} {
  const { repository } = services
  return {
    trustedIssuers: {
      create: async (call, input) =>
        createIssuer(services, readCall(services, call), parseInput(newIssuerSchema, input)),
      list: async (call) => {
        const { accountId } = readCall(services, call)
        return (await repository.trustedIssuers.list(accountId)).map(toTrustedIssuer)
      },
      update: async (call, issuerId, changes) => {
        const checked = parseInput(issuerChangesSchema, changes)
        return updateIssuer(services, readCall(services, call), readId({ issuerId }), checked)
      },
      delete: async (call, issuerId) =>
        deleteIssuer(services, readCall(services, call), readId({ issuerId })),
    },
  }
}
