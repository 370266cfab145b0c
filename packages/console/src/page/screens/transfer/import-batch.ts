import { english } from '../../english.ts'
import type { ImportRecord } from './import-record.ts'
import type { LineError } from './import-state.ts'

const maxRecords = 500
/** The server takes 512 KiB and 50,000 values at once: a batch ends before a record that might exceed this. */
const maxBytes = 256 * 1024
const maxValues = 25_000
/** More than any user that an import accepts */
const maxRecordBytes = 192 * 1024
const maxRecordValues = 20_000

const encoder = new TextEncoder()

/** One batch: users with their lines, and the lines between them without a user. */
export interface ImportBatch {
  values: unknown[]
  lines: number[]
  faults: LineError[]
  /** Whether an error ends the import after this batch */
  isCut: boolean
}

/** Collects the records of the next batch; undefined: none are left. */
export async function gatherBatch(
  records: AsyncIterator<ImportRecord>,
  stopsAtFault: boolean,
): Promise<ImportBatch | undefined> {
  const batch: ImportBatch = { values: [], lines: [], faults: [], isCut: false }
  let bytes = 0
  let values = 0
  while (batch.lines.length < maxRecords && bytes < maxBytes && values < maxValues) {
    const { done, value: record } = await records.next()
    if (done) break
    const size = 'value' in record ? measure(record.value) : undefined
    if ('value' in record && size !== undefined) {
      batch.values.push(record.value)
      batch.lines.push(record.line)
      bytes += size.bytes
      values += size.values
    } else {
      const message = 'fault' in record ? record.fault : english.transfer.faults.tooLarge
      batch.faults.push({ line: record.line, code: 'malformed', message })
      batch.isCut = stopsAtFault
      if (batch.isCut || batch.faults.length >= maxRecords) break
    }
  }
  return batch.lines.length + batch.faults.length === 0 ? undefined : batch
}

/** The size of a record as JSON, with an upper estimate of its values; undefined: larger than any user. */
function measure(value: unknown): { bytes: number; values: number } | undefined {
  try {
    const text = JSON.stringify(value)
    const bytes = encoder.encode(text).length + 1
    const values = (text.match(/[,[{]/g)?.length ?? 0) + 1
    const isTooLarge = bytes > maxRecordBytes || values > maxRecordValues || isTooDeep(text)
    return isTooLarge ? undefined : { bytes, values }
  } catch {
    // It nests too deep for JSON.stringify.
    return undefined
  }
}

/** Whether it nests deeper than the server allows: the server would refuse the whole batch. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === '"') isInString = !isInString
    else if (isInString) at += mark === '\\' ? 1 : 0
    else if (mark === '[' || mark === '{') depth++
    else if (mark === ']' || mark === '}') depth--
    if (depth > 32) return true
  }
  return false
}
