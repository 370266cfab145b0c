import type { ImportRecord } from './import-record.ts'
import type { LineError } from './import-state.ts'

const maxRecords = 500
/** In UTF-16 units: as bytes it is three times that at most, and the server takes four million. */
const maxLength = 1_200_000

/** What is sent at once: users, the line of each, and lines between them that say none. */
export interface ImportBatch {
  values: unknown[]
  lines: number[]
  faults: LineError[]
  /** Whether a fault ends the import behind it */
  isCut: boolean
}

/** Gathers the records of the next batch; undefined: there are none. */
export async function gatherBatch(
  records: AsyncIterator<ImportRecord>,
  stopsAtFault: boolean,
): Promise<ImportBatch | undefined> {
  const batch: ImportBatch = { values: [], lines: [], faults: [], isCut: false }
  let length = 0
  while (batch.lines.length < maxRecords && length < maxLength) {
    const { done, value: record } = await records.next()
    if (done) break
    if ('value' in record) {
      batch.values.push(record.value)
      batch.lines.push(record.line)
      length += JSON.stringify(record.value).length
    } else {
      batch.faults.push({ line: record.line, code: 'malformed', message: record.fault })
      batch.isCut = stopsAtFault
      if (batch.isCut || batch.faults.length >= maxRecords) break
    }
  }
  return batch.lines.length + batch.faults.length === 0 ? undefined : batch
}
