import type { Db } from './db.ts'

/**
 * Keeps what was read as long as nothing in the database has changed. Call the returned function before a group of reads:
 * it returns the same store as before, or a new one after any change. Where the driver cannot tell whether anything has
 * changed, each store is new.
 */
export function whileUnchanged<Store>(db: Db, create: () => Store): () => Store {
  let store: Store | undefined
  let mark: number | undefined
  return () => {
    const present = db.driver.readMark?.()
    if (store === undefined || present === undefined || present !== mark) store = create()
    mark = present
    return store
  }
}
