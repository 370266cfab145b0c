import type { Database } from '../../../sql/tables/tables.ts'
import type { PasskeyRecord, PasskeyUse } from '../store.ts'

/** The columns of the table `clientele_passkeys as p` */
export const passkeyColumns = [
  'p.id',
  'p.user_id',
  'p.credential_id',
  'p.public_key',
  'p.counter',
  'p.rp_id',
  'p.name',
  'p.use',
  'p.transports',
  'p.is_synced',
  'p.backed_up',
  'p.created_at',
  'p.last_used_at',
] as const

export function toPasskeyRecord(
  row: Omit<Database['clientele_passkeys'], 'account_id'>,
): PasskeyRecord {
  return {
    id: row.id,
    userId: row.user_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
    rpId: row.rp_id,
    name: row.name,
    use: row.use as PasskeyUse, // written by us
    transports: toTransports(row.transports),
    isSynced: Boolean(row.is_synced),
    backedUp: Boolean(row.backed_up),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}

function toTransports(text: string): string[] {
  return JSON.parse(text) as string[] // written by us from string[]
}
