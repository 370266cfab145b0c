import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import type { Tenant } from '../world.ts'
import type { IsolationCase } from './case.ts'
import { newIssuer } from './issuers.ts'
import { addSigningKey } from './signing-keys.ts'
import { addWebhook } from './webhooks.ts'

const prefix = 'v2.'

/** Secrets of every kind are found whosever they are, and replaced in the account that is named alone. */
export const secretsIsolation: IsolationCase = async (repository, mine, theirs) => {
  const { accountId, user } = theirs
  await addSigningKey(repository, theirs)
  const issuer = { ...newIssuer(), publicKeys: null, encryptedSecret: 'sealed' }
  await repository.trustedIssuers.create(accountId, issuer, someEvent(accountId))
  await addWebhook(repository, theirs)
  await repository.mfa.enrolTotp(accountId, user.id, 'sealed')
  const before = await listSecrets(repository, theirs)
  expect(new Set(before.map(({ kind }) => kind))).toEqual(
    new Set(['signing key', 'trusted issuer', 'webhook', 'totp']),
  )
  const replace = (owner: Tenant) =>
    Promise.all(
      before.map((secret) => {
        const changed = { ...secret, accountId: owner.accountId, reencrypted: `${prefix}thief` }
        return repository.storage.replaceSecrets([changed], prefix)
      }),
    )
  await replace(mine)
  expect(await listSecrets(repository, theirs)).toEqual(before)
  await replace(theirs)
  expect(await listSecrets(repository, theirs)).toEqual([])
}

/** Those of an account, page by page. */
async function listSecrets(repository: Repository, { accountId }: Tenant) {
  const { storage } = repository
  const found: Awaited<ReturnType<typeof storage.listStaleSecrets>> = []
  for (;;) {
    const page = await storage.listStaleSecrets(prefix, { ofUsers: true, after: found.at(-1) })
    if (page.length === 0) return found.filter((secret) => secret.accountId === accountId)
    found.push(...page)
  }
}
