import type { IssuerRecord } from '@clientele/core'
import { expect } from 'vitest'
import { nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const issuerIsolation = {
  createIssuer: async (repository, mine) => {
    expect(await repository.createIssuer(mine.accountId, newIssuer())).toBe('created')
  },
  listIssuers: async (repository, mine, theirs) => {
    await repository.createIssuer(theirs.accountId, newIssuer())
    expect(await repository.listIssuers(mine.accountId)).toEqual([])
  },
  updateIssuer: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.createIssuer(theirs.accountId, issuer)
    const changed = { ...issuer, audience: 'thief' }
    const outcome = await repository.updateIssuer(mine.accountId, changed, issuer.updatedAt)
    expect(outcome).toBe('issuer_changed')
    expect(await repository.listIssuers(theirs.accountId)).toEqual([issuer])
  },
  deleteIssuer: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.createIssuer(theirs.accountId, issuer)
    expect(await repository.deleteIssuer(mine.accountId, issuer.id)).toBeUndefined()
    expect(await repository.listIssuers(theirs.accountId)).toEqual([issuer])
  },
  listEncryptedIssuerSecrets: {
    belongsToNoAccount: 'the operator changes the secret that those of every account are under',
  },
  reencryptIssuerSecret: async (repository, mine, theirs) => {
    const issuer = { ...newIssuer(), publicKeys: null, encryptedSecret: 'sealed' }
    await repository.createIssuer(theirs.accountId, issuer)
    await repository.reencryptIssuerSecret(mine.accountId, issuer.id, 'sealed', 'thief')
    expect(await repository.listIssuers(theirs.accountId)).toEqual([issuer])
  },
} satisfies IsolationCases

function newIssuer(): IssuerRecord {
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
