import { accountPolicyCases } from './cases/account-policy.ts'
import { activeUserCases } from './cases/active-users.ts'
import { apiKeyCases } from './cases/api-keys.ts'
import { bodyCases } from './cases/bodies.ts'
import { bulkCases } from './cases/bulk.ts'
import type { Case } from './cases/case.ts'
import { consoleCases } from './cases/console.ts'
import { deviceCases } from './cases/devices.ts'
import { emailChangeCases } from './cases/email-changes.ts'
import { emailDomainCases } from './cases/email-domains.ts'
import { eventCases } from './cases/events.ts'
import { expiredPasswordCases } from './cases/expired-passwords.ts'
import { hookCases } from './cases/hooks.ts'
import { hostCases } from './cases/host.ts'
import { idTokenCases } from './cases/id-tokens.ts'
import { idempotencyCases } from './cases/idempotency.ts'
import { identityCases } from './cases/identities.ts'
import { impersonationCases } from './cases/impersonation.ts'
import { invitationCases } from './cases/invitations.ts'
import { jsonValueCases } from './cases/json-values.ts'
import { listFilterCases } from './cases/list-filters.ts'
import { listCases } from './cases/lists.ts'
import { passkeyCases } from './cases/passkeys.ts'
import { personalDataCases } from './cases/personal-data.ts'
import { queryCases } from './cases/queries.ts'
import { reauthenticationCases } from './cases/reauthentication.ts'
import { routeCases } from './cases/routes.ts'
import { scimCases } from './cases/scim.ts'
import { signInCases } from './cases/sign-in.ts'
import { signInCodeCases } from './cases/sign-in-codes.ts'
import { strictInputCases } from './cases/strict-input.ts'
import { textBoundCases } from './cases/text-bounds.ts'
import { tokenCheckCases } from './cases/token-checks.ts'
import { tokenCases } from './cases/tokens.ts'
import { userChangeCases } from './cases/user-changes.ts'
import { userFieldCases } from './cases/user-fields.ts'
import { userTokenCases } from './cases/user-tokens.ts'
import { userCases } from './cases/users.ts'
import { webhookCases } from './cases/webhooks.ts'

/** The parts that cross the adapter: bodies, paths, queries, fields of requests and answers, cookies, streams. */
const adapterParts: readonly (readonly Case[])[] = [
  bodyCases,
  jsonValueCases,
  routeCases,
  queryCases,
  listCases,
  hostCases,
  apiKeyCases,
  tokenCases,
  tokenCheckCases,
  userChangeCases,
  idempotencyCases,
  eventCases,
  personalDataCases,
  bulkCases,
  consoleCases,
  scimCases,
]

/** The HTTP contract as requests and exact answers: a list for each part of it. */
export const contractParts: readonly (readonly Case[])[] = [
  ...adapterParts,
  userCases,
  userTokenCases,
  activeUserCases,
  userFieldCases,
  emailDomainCases,
  listFilterCases,
  strictInputCases,
  textBoundCases,
  signInCases,
  signInCodeCases,
  reauthenticationCases,
  webhookCases,
  identityCases,
  passkeyCases,
  idTokenCases,
  accountPolicyCases,
  emailChangeCases,
  invitationCases,
  deviceCases,
  expiredPasswordCases,
  impersonationCases,
  hookCases,
]

export const adapterContract: readonly Case[] = adapterParts.flat()
export const httpContract: readonly Case[] = contractParts.flat()
