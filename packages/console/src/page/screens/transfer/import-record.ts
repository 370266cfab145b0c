import { english } from '../../english.ts'

const t = english.transfer.faults

/** A line of a file: its user, or why it has none. */
export type ImportRecord = { line: number } & ({ value: unknown } | { fault: string })

/** The columns that an import knows. */
export const importColumns: ReadonlySet<string> = new Set([
  'id',
  'email',
  'name',
  'roles',
  'metadata',
  'is_active',
  'created_at',
  'updated_at',
  'email_verified',
  'password',
  'password_hash',
  'password_expired',
])

export function toRecord(text: string, line: number): ImportRecord {
  try {
    return { line, value: JSON.parse(text) }
  } catch {
    return { line, fault: t.json }
  }
}

/** An empty cell counts as missing; roles and metadata are JSON. */
export function cellsToRecord(
  names: readonly string[],
  cells: readonly string[],
  line: number,
  leftOut: ReadonlySet<string>,
): ImportRecord {
  if (cells.length > names.length) return { line, fault: t.tooManyCells }
  const value: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '' || leftOut.has(name)) continue
    const isFlag = cell === 'true' || cell === 'false'
    if (name === 'roles' || name === 'metadata') {
      try {
        value[name] = JSON.parse(cell)
      } catch {
        return { line, fault: t.cellNoJson(name) }
      }
    } else if (name === 'is_active' || name === 'password_expired') {
      if (!isFlag) return { line, fault: t.noFlag(name) }
      value[name] = cell === 'true'
    } else value[name] = name === 'email_verified' && isFlag ? cell === 'true' : cell
  }
  return { line, value }
}
