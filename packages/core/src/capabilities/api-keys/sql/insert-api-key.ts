import type { Db } from '../../../sql/db.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, recordEvent } from '../../events/sql/record-event.ts'

export function createInsertApiKey(db: Db) {
  return writeWithEffects<
    EventValues & {
      id: string
      name: string
      scopes: string
      prefix: string
      hash: string
      createdAt: number
      expiresAt: number | null
    }
  >(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_api_keys')
        .values({
          account_id: value('accountId'),
          id: value('id'),
          name: value('name'),
          scopes: value('scopes'),
          prefix: value('prefix'),
          hash: value('hash'),
          created_at: value('createdAt'),
          expires_at: value('expiresAt'),
        })
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
}
