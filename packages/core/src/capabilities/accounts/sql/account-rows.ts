import type { Database } from '../../../sql/tables/tables.ts'
import { toDate } from '../../../sql/to-date.ts'
import type { Account, AccountSettings, AccountSummary } from '../account.ts'
import { readPolicy } from '../account-policy.ts'
import type { PasskeySettings } from '../passkey-settings.ts'

type AccountRow = Database['clientele_accounts']

/** The columns of `AccountSettings` */
export const settingsColumns = [
  'id',
  'name',
  'allowed_roles',
  'created_at',
  'disabled_at',
  'passkeys',
  'policy',
] as const satisfies (keyof AccountRow)[]

/** The columns of `AccountSummary` */
export const summaryColumns = [
  'id',
  'name',
  'slug',
  'external_id',
  'created_at',
  'disabled_at',
] as const satisfies (keyof AccountRow)[]

export function toAccount(row: AccountRow): Account {
  const { id, name, policy, ...settings } = toAccountSettings(row)
  return {
    id,
    name,
    slug: row.slug,
    externalId: row.external_id,
    metadata: JSON.parse(row.metadata) as Account['metadata'], // written by us from it
    ...settings,
    policy: policy.rules,
  }
}

export function toAccountSettings(
  row: Pick<AccountRow, (typeof settingsColumns)[number]>,
): AccountSettings {
  return {
    id: row.id,
    name: row.name,
    allowedRoles: toAllowedRoles(row.allowed_roles),
    createdAt: new Date(row.created_at),
    disabledAt: toDate(row.disabled_at),
    passkeys: toPasskeySettings(row.passkeys),
    policy: readPolicy(row.policy),
  }
}

export function toAccountSummary(
  row: Pick<AccountRow, (typeof summaryColumns)[number]>,
): AccountSummary {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    externalId: row.external_id,
    createdAt: new Date(row.created_at),
    disabledAt: toDate(row.disabled_at),
  }
}

export function toAllowedRoles(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]) // written by us from string[]
}

function toPasskeySettings(text: string | null): PasskeySettings | null {
  return text === null ? null : (JSON.parse(text) as PasskeySettings) // written by us from PasskeySettings
}
