import { LRUCache } from 'lru-cache'
import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'

const maxKnown = 10_000

/**
 * Makes the function that tells whether a key is stored. Unknown callers may send any number of made-up keys: those that
 * arrive together share one statement, so that they do not take the connections of others. A key that was found is not
 * searched for again; whether it is still stored, the look-up itself says.
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
  const known = new LRUCache<string, true>({ max: maxKnown })
  const loader = new BatchLoader<string, boolean>(async (_, hashes) => {
    const rows = await db.query(selectHashes, { hashes: JSON.stringify(hashes) })
    for (const { hash } of rows) known.set(hash, true)
    const found = new Set(rows.map(({ hash }) => hash))
    return hashes.map((hash) => found.has(hash))
  })

  return async (hash) => known.has(hash) || loader.load('', hash)
}
