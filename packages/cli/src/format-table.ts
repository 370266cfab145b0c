import { paint } from './paint.ts'

type Row = Readonly<Record<string, unknown>>

/** The width of a terminal that does not report one. */
const usualWidth = 80

/**
 * Lays rows out under the names of their columns or, where they are wider than the terminal, each row as a paragraph of
 * its own.
 */
export function formatTable(rows: readonly Row[], width = terminalWidth()): string {
  const [first] = rows
  if (first === undefined) return 'none'
  const names = Object.keys(first)
  const lines = [
    names.map((name) => toLabel(name).toUpperCase()),
    ...rows.map((row) => names.map((name) => toText(row[name]))),
  ]
  const widths = names.map((_, column) =>
    Math.max(...lines.map((cells) => countLetters(cells[column] ?? ''))),
  )
  const total = widths.reduce((sum, each) => sum + each + 2, -2)
  if (total > width) return rows.map((row) => formatRow(row, width)).join('\n\n')
  return lines
    .map((cells) => cells.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  '))
    .map((line, index) => (index === 0 ? paint('bold', line.trimEnd()) : line.trimEnd()))
    .join('\n')
}

/** Lays one row out as a paragraph, a line for each column. */
export function formatRow(row: Row, width = terminalWidth()): string {
  const names = Object.keys(row)
  const indent = Math.max(...names.map((name) => name.length)) + 2
  return names
    .flatMap((name) =>
      wrap(toText(row[name]), width - indent).map((line, index) => {
        const label = index === 0 ? toLabel(name) : ''
        return paint('bold', label) + ' '.repeat(indent - countLetters(label)) + line
      }),
    )
    .join('\n')
}

/** Some terminals report 0 for an unknown width. */
function terminalWidth(): number {
  return process.stdout.columns || usualWidth
}

/** Breaks a text between words; breaks a word only if it is wider than the line. */
function wrap(text: string, room: number): string[] {
  const width = Math.max(room, 10)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((each) => breakWord(each, width))) {
    if (line !== '' && countLetters(line) + 1 + countLetters(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function breakWord(word: string, width: number): string[] {
  const letters = [...word]
  const parts: string[] = []
  for (let start = 0; start < letters.length; start += width) {
    parts.push(letters.slice(start, start + width).join(''))
  }
  return parts
}

function toLabel(name: string): string {
  return name.replaceAll('_', ' ')
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  const text = Array.isArray(value) ? value.join(' ') : String(value)
  // A terminal would obey what is in a user's metadata.
  return text.replaceAll(/\p{Cc}/gu, '\ufffd')
}

function countLetters(text: string): number {
  return [...text].length
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - countLetters(text)))
}
