import { mapRecords } from '../../../sql/record-mapper.ts'
import type { NewPasskeyRecord, PasskeyRecord } from '../store.ts'

const { columns, toRecord } = mapRecords<PasskeyRecord>()('clientele_passkeys', 'account_id')

/** The columns of the table `clientele_passkeys as p` */
export const passkeyColumns = columns.map((column) => `p.${column}` as const)
export const toPasskeyRecord = toRecord

export const newPasskeys = mapRecords<NewPasskeyRecord>()(
  'clientele_passkeys',
  'account_id',
  'last_used_at',
)
