/** Lays rows out under the names of their columns. */
export function formatTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const [first] = rows
  if (first === undefined) return 'none'
  const names = Object.keys(first)
  const lines = [
    names.map((name) => name.replaceAll('_', ' ').toUpperCase()),
    ...rows.map((row) => names.map((name) => toText(row[name]))),
  ]
  const widths = names.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  )
  return lines
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(' ') : String(value)
}
