import type { Database } from '../../../sql/tables/tables.ts'
import { toDate } from '../../../sql/to-date.ts'
import type { Account } from '../account.ts'
import type { PasskeySettings } from '../passkey-settings.ts'

export function toAccount(row: Database['clientele_accounts']): Account {
  return {
    id: row.id,
    name: row.name,
    allowedRoles: toAllowedRoles(row.allowed_roles),
    createdAt: new Date(row.created_at),
    disabledAt: toDate(row.disabled_at),
    passkeys: toPasskeySettings(row.passkeys),
  }
}

export function toAllowedRoles(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]) // written by us from string[]
}

function toPasskeySettings(text: string | null): PasskeySettings | null {
  return text === null ? null : (JSON.parse(text) as PasskeySettings) // written by us from PasskeySettings
}
