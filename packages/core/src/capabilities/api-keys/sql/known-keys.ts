import type { Db } from '../../../sql/db.ts'
import { createIsStored, rememberStored } from '../../../sql/is-stored.ts'

/**
 * Makes the function that tells whether a key is stored. Made-up keys that arrive together share one statement. A key
 * that was found is not searched for again; whether it is still stored, the look-up itself says.
 */
export function createIsKnownKey(db: Db): (hash: string) => Promise<boolean> {
  const selectHashes = db.statement<{ hashes: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys')
      .select('hash')
      .where((of) =>
        db.features.isAmong(
          of.ref('hash'),
          of.selectFrom(db.features.textsOfJsonArray(value('hashes')).as('h')).select('h.value'),
        ),
      ),
  )
  const isStored = createIsStored(async (hashes) => {
    const rows = await db.query(selectHashes, { hashes: JSON.stringify(hashes) })
    return rows.map(({ hash }) => hash)
  })

  return rememberStored(isStored)
}
