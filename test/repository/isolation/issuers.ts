import type { TrustedIssuerRecord } from '@clientele/core'
import { expect } from 'vitest'
import { nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const trustedIssuersIsolation = {
  create: async (repository, mine) => {
    expect(await repository.trustedIssuers.create(mine.accountId, newIssuer())).toBe('created')
  },
  list: async (repository, mine, theirs) => {
    await repository.trustedIssuers.create(theirs.accountId, newIssuer())
    expect(await repository.trustedIssuers.list(mine.accountId)).toEqual([])
  },
  update: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.trustedIssuers.create(theirs.accountId, issuer)
    const changed = { ...issuer, audience: 'thief' }
    const outcome = await repository.trustedIssuers.update(
      mine.accountId,
      changed,
      issuer.updatedAt,
    )
    expect(outcome).toBe('issuer_changed')
    expect(await repository.trustedIssuers.list(theirs.accountId)).toEqual([issuer])
  },
  delete: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.trustedIssuers.create(theirs.accountId, issuer)
    expect(await repository.trustedIssuers.delete(mine.accountId, issuer.id)).toBeUndefined()
    expect(await repository.trustedIssuers.list(theirs.accountId)).toEqual([issuer])
  },
  listEncryptedSecrets: {
    belongsToNoAccount: 'the operator changes the secret that those of every account are under',
  },
  reencryptSecret: async (repository, mine, theirs) => {
    const issuer = { ...newIssuer(), publicKeys: null, encryptedSecret: 'sealed' }
    await repository.trustedIssuers.create(theirs.accountId, issuer)
    await repository.trustedIssuers.reencryptSecret(mine.accountId, issuer.id, 'sealed', 'thief')
    expect(await repository.trustedIssuers.list(theirs.accountId)).toEqual([issuer])
  },
} satisfies IsolationCases<'trustedIssuers'>

function newIssuer(): TrustedIssuerRecord {
  return {
    id: nextId(),
    issuer: 'https://login.example.com',
    audience: 'api',
    algorithms: ['ES256'],
    userClaim: 'sub',
    encryptedSecret: null,
    publicKeys: [{ kty: 'EC' }],
    jwksUrl: null,
    maxLifetimeSeconds: 3600,
    trustUnverifiedEmail: true,
    createdAt: start,
    updatedAt: start,
  }
}
