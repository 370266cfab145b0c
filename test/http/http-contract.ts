import type { Case } from './cases/case.ts'
import { listCases } from './cases/lists.ts'
import { queryCases, requestCases } from './cases/requests.ts'
import { signInCases } from './cases/sign-in.ts'
import { tokenCases } from './cases/tokens.ts'
import { userCases } from './cases/users.ts'
import { validationCases } from './cases/validation.ts'

/** The HTTP contract as requests and exact answers. */
export const httpContract: readonly Case[] = [
  ...userCases,
  ...validationCases,
  ...requestCases,
  ...queryCases,
  ...listCases,
  ...tokenCases,
  ...signInCases,
]
