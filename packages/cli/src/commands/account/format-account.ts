import type { Account } from '@clientele/core'

/** The columns of an account; those of `ifAny` are shown if any account of a list has a value there. */
export function formatAccount({ id, name, disabledAt, createdAt, ...account }: Account) {
  const status = disabledAt === null ? 'active' : 'disabled'
  const { slug, externalId, allowedRoles } = account
  return {
    always: { id, name, status, created: createdAt.toISOString().slice(0, 10) },
    ifAny: { slug, external_id: externalId, allowed_roles: allowedRoles },
  }
}

/** An account by itself. */
export function formatWholeAccount(account: Account) {
  const { always, ifAny } = formatAccount(account)
  return { ...always, ...ifAny, metadata: JSON.stringify(account.metadata) }
}
