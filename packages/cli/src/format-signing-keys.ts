import type { SigningKeyInfo } from '@clientele/core'
import { formatTable } from './format-table.ts'

export function formatSigningKeys(keys: readonly SigningKeyInfo[]): string {
  return formatTable(
    keys.map(({ id, algorithm, status, createdAt, signsAt, retiredAt }) => ({
      id,
      algorithm,
      status,
      created_at: createdAt,
      signs_at: signsAt,
      retired_at: retiredAt,
    })),
  )
}
