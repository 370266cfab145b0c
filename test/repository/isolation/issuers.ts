import type { TrustedIssuerRecord } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const trustedIssuersIsolation = {
  create: async (repository, mine) => {
    expect(
      await repository.trustedIssuers.create(
        mine.accountId,
        newIssuer(),
        someEvent(mine.accountId),
      ),
    ).toBe('created')
  },
  list: async (repository, mine, theirs) => {
    await repository.trustedIssuers.create(
      theirs.accountId,
      newIssuer(),
      someEvent(theirs.accountId),
    )
    expect(await repository.trustedIssuers.list(mine.accountId)).toEqual([])
  },
  update: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.trustedIssuers.create(theirs.accountId, issuer, someEvent(theirs.accountId))
    const changed = { ...issuer, audience: ['thief'] }
    const outcome = await repository.trustedIssuers.update(
      mine.accountId,
      changed,
      issuer.updatedAt,
      someEvent(mine.accountId),
    )
    expect(outcome).toBe('issuer_changed')
    expect(await repository.trustedIssuers.list(theirs.accountId)).toEqual([issuer])
  },
  delete: async (repository, mine, theirs) => {
    const issuer = newIssuer()
    await repository.trustedIssuers.create(theirs.accountId, issuer, someEvent(theirs.accountId))
    expect(
      await repository.trustedIssuers.delete(mine.accountId, issuer.id, () =>
        someEvent(mine.accountId),
      ),
    ).toBeUndefined()
    expect(await repository.trustedIssuers.list(theirs.accountId)).toEqual([issuer])
  },
} satisfies IsolationCases<'trustedIssuers'>

export function newIssuer(): TrustedIssuerRecord {
  return {
    id: nextId(),
    issuer: 'https://login.example.com',
    audience: ['api'],
    clientIdAsAudience: true,
    algorithms: ['ES256'],
    userClaim: 'oid',
    userLookup: 'identity',
    encryptedSecret: null,
    publicKeys: [{ kty: 'EC' }],
    jwksUrl: null,
    maxLifetimeSeconds: 3600,
    trustUnverifiedEmail: true,
    signIn: true,
    linkByEmail: true,
    nonce: 'sha256',
    maxAgeSeconds: 600,
    createdAt: start,
    updatedAt: start,
  }
}
