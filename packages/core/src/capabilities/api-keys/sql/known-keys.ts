import { LateCache } from '../../../base/runtime/late-cache.ts'
import type { Db } from '../../../sql/db.ts'
import { createIsStored } from '../../../sql/is-stored.ts'

const maxKnown = 10_000

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
  const known = new LateCache<true>(maxKnown)
  const isStored = createIsStored(async (hashes) => {
    const rows = await db.query(selectHashes, { hashes: JSON.stringify(hashes) })
    for (const { hash } of rows) known.set(hash, true)
    return rows.map(({ hash }) => hash)
  })

  return async (hash) => known.has(hash) || isStored(hash)
}
