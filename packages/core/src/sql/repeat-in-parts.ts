import type { Db } from './db.ts'

/**
 * Repeats a write of some rows until it finds fewer than a part of them. On SQLite a statement holds the event loop, so
 * that other requests are answered between the parts. Returns the number of rows.
 */
export async function repeatInParts(
  db: Db,
  rowsOfPart: number,
  writeSome: () => Promise<number>,
): Promise<number> {
  for (let rows = 0; ; ) {
    const written = await writeSome()
    rows += written
    if (written < rowsOfPart) return rows
    await db.rest()
  }
}
