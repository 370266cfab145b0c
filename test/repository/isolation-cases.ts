import type { Repository } from '@clientele/core'
import { accountIsolation } from './isolation/accounts.ts'
import type { IsolationCase } from './isolation/case.ts'
import { issuerIsolation } from './isolation/issuers.ts'
import { signInIsolation } from './isolation/sign-in.ts'
import { twoFactorIsolation } from './isolation/two-factor.ts'
import { userIsolation } from './isolation/users.ts'

/** A method of the port without a case here does not compile. */
export const isolationCases: Record<keyof Repository, IsolationCase> = {
  ...accountIsolation,
  ...userIsolation,
  ...signInIsolation,
  ...twoFactorIsolation,
  ...issuerIsolation,
  listSigningKeys: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  addFirstSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  rotateSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  retireSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  removeSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  raiseTokenLife: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  deleteExpiredSigningKeys: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  reencryptSigningKey: { belongsToNoAccount: 'one issuer signs the tokens of every account' },
  migrate: { belongsToNoAccount: 'it changes the schema' },
  missingMigrations: { belongsToNoAccount: 'it reads the names of migrations' },
  ping: { belongsToNoAccount: 'it reads no table' },
  close: { belongsToNoAccount: 'it lets go of the connections' },
  localSecret: { belongsToNoAccount: 'it belongs to the whole database' },
}
