import { english } from '../../english.ts'
import type { ImportRecord } from './import-record.ts'
import type { LineError } from './import-state.ts'

const maxRecords = 500
/**
 * The server takes 512 KiB, 20,000 values and 2,500 layouts (orders of names) at once: a batch ends before a record that
 * might exceed this.
 */
const maxBytes = 256 * 1024
const maxValues = 14_000
const maxLayouts = 1_100
/** More than any user that an import accepts */
const maxOfRecord = { bytes: 192 * 1024, values: 5_000, layouts: 1_365 }
/** The server would refuse the whole batch for a record that nests deeper. */
const maxDepth = 32

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
  const layouts: Layouts = new Map()
  let bytes = 0
  let values = 0
  let layoutCount = 0
  while (
    batch.lines.length < maxRecords &&
    bytes < maxBytes &&
    values < maxValues &&
    layoutCount < maxLayouts
  ) {
    const { done, value: record } = await records.next()
    if (done) break
    const size = 'value' in record ? measure(record.value, layouts) : undefined
    if ('value' in record && size !== undefined) {
      batch.values.push(record.value)
      batch.lines.push(record.line)
      bytes += size.bytes
      values += size.values
      layoutCount += size.layouts
    } else {
      const message = 'fault' in record ? record.fault : english.transfer.faults.tooLarge
      batch.faults.push({ line: record.line, code: 'malformed', message })
      batch.isCut = stopsAtFault
      if (batch.isCut || batch.faults.length >= maxRecords) break
    }
  }
  return batch.lines.length + batch.faults.length === 0 ? undefined : batch
}

/** The names that objects begin with, and after each those that follow it */
interface Layouts extends Map<string, Layouts> {}

interface RecordSize {
  bytes: number
  values: number
  /** How many layouts were not known */
  layouts: number
}

/** The size of a record as JSON; undefined: larger than any user, or too deep. */
function measure(value: unknown, known: Layouts): RecordSize | undefined {
  try {
    const bytes = encoder.encode(JSON.stringify(value)).length + 1
    const own = count(value, new Map(), 0)
    const isTooLarge =
      bytes > maxOfRecord.bytes ||
      own.values > maxOfRecord.values ||
      own.layouts > maxOfRecord.layouts ||
      own.depth > maxDepth
    return isTooLarge ? undefined : { bytes, ...count(value, known, 0) }
  } catch {
    // It nests too deep for JSON.stringify.
    return undefined
  }
}

interface Counts {
  values: number
  layouts: number
  depth: number
}

function count(value: unknown, known: Layouts, depth: number): Counts {
  if (typeof value !== 'object' || value === null) return { values: 1, layouts: 0, depth }
  const counts = { values: 1, layouts: 0, depth: depth + 1 }
  let layout = known
  for (const [name, part] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      const next = layout.get(name) ?? new Map()
      if (!layout.has(name)) counts.layouts++
      layout.set(name, next)
      layout = next
    }
    const inner = count(part, known, depth + 1)
    counts.values += inner.values
    counts.layouts += inner.layouts
    counts.depth = Math.max(counts.depth, inner.depth)
  }
  return counts
}
