import { activeUserCases } from './cases/active-users.ts'
import { apiKeyCases } from './cases/api-keys.ts'
import { bodyCases } from './cases/bodies.ts'
import type { Case } from './cases/case.ts'
import { consoleCases } from './cases/console.ts'
import { emailDomainCases } from './cases/email-domains.ts'
import { eventCases } from './cases/events.ts'
import { hostCases } from './cases/host.ts'
import { idTokenCases } from './cases/id-tokens.ts'
import { idempotencyCases } from './cases/idempotency.ts'
import { identityCases } from './cases/identities.ts'
import { jsonValueCases } from './cases/json-values.ts'
import { listFilterCases } from './cases/list-filters.ts'
import { listCases } from './cases/lists.ts'
import { passkeyCases } from './cases/passkeys.ts'
import { personalDataCases } from './cases/personal-data.ts'
import { queryCases } from './cases/queries.ts'
import { routeCases } from './cases/routes.ts'
import { signInCases } from './cases/sign-in.ts'
import { strictInputCases } from './cases/strict-input.ts'
import { textBoundCases } from './cases/text-bounds.ts'
import { tokenCheckCases } from './cases/token-checks.ts'
import { tokenCases } from './cases/tokens.ts'
import { userChangeCases } from './cases/user-changes.ts'
import { userFieldCases } from './cases/user-fields.ts'
import { userCases } from './cases/users.ts'
import { webhookCases } from './cases/webhooks.ts'

/** The HTTP contract as requests and exact answers: a list for each part of it. */
export const contractParts: readonly (readonly Case[])[] = [
  userCases,
  userChangeCases,
  activeUserCases,
  userFieldCases,
  emailDomainCases,
  jsonValueCases,
  bodyCases,
  routeCases,
  hostCases,
  apiKeyCases,
  queryCases,
  listCases,
  listFilterCases,
  strictInputCases,
  textBoundCases,
  tokenCases,
  tokenCheckCases,
  signInCases,
  webhookCases,
  eventCases,
  idempotencyCases,
  personalDataCases,
  identityCases,
  passkeyCases,
  idTokenCases,
  consoleCases,
]

export const httpContract: readonly Case[] = contractParts.flat()
