import type { Db } from '../../../sql/db.ts'
import { deleteOfChanged } from '../../users/sql/delete-of-changed.ts'
import type { FactorEffect } from './factor-effect.ts'

/** A remembered device stands for the second factor that was proved on it: it ends when the factors change. */
export function deleteDevices(db: Db): FactorEffect<object> {
  return (queries, value) =>
    deleteOfChanged(db, 'clientele_devices', queries, value('accountId'), 'user_id')
}
