import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CsvError,
  CsvReader,
  type CsvRow,
} from '../../packages/console/src/page/screens/transfer/csv-reader.ts'

function readPieces(pieces: readonly string[]): CsvRow[] {
  const reader = new CsvReader()
  const rows = pieces.flatMap((piece) => reader.read(piece))
  return [...rows, ...reader.end()]
}

function findFault(text: string): [fault: string, line: number] {
  try {
    readPieces([text])
  } catch (error) {
    if (error instanceof CsvError) return [error.fault, error.line]
    throw error
  }
  throw new Error('It was read.')
}

/** Cuts a text, between characters, wherever the numbers say. */
function cut(text: string, lengths: readonly number[]): string[] {
  const letters = [...text]
  const pieces: string[] = []
  for (const length of lengths) pieces.push(letters.splice(0, length).join(''))
  return [...pieces, letters.join('')]
}

const letters = fc.constantFrom('a', 'é', '😀', ' ', ',', '"', '\n', '\r\n')
const cell = fc.array(letters, { maxLength: 6 }).map((list) => list.join(''))
const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 })
const ends = fc.constantFrom('\n', '\r\n', '\r')

test('what is written as CSV is read as it was, wherever its pieces are cut', () => {
  const write = (text: string): string =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const pieceLengths = fc.array(fc.nat({ max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(rows, ends, pieceLengths, (table, end, lengths) => {
      const text = table.map((cells) => cells.map(write).join(',') + end).join('')
      // A row of one empty cell is a line without anything.
      const written = table.filter((cells) => cells.length > 1 || cells[0] !== '')
      expect(readPieces(cut(text, lengths)).map(({ cells }) => cells)).toEqual(written)
    }),
  )
})

test('each row has the number of the line on which it ends', () => {
  const read = readPieces(['name,roles\r', '\n"a\r', '\nb",x\r\n\r\n', 'c,y'])
  expect(read).toEqual([
    { cells: ['name', 'roles'], line: 1 },
    { cells: ['a\r\nb', 'x'], line: 3 },
    { cells: ['c', 'y'], line: 5 },
  ])
})

test('what is no CSV is refused, with its line', () => {
  expect(findFault('a\n"b"c\n')).toEqual(['closing_quote', 2])
  expect(findFault('a;b\nc;d\n')).toEqual(['separator', 1])
  expect(findFault('a\tb\n')).toEqual(['separator', 1])
  expect(findFault('"a";"b"\n')).toEqual(['separator', 1])
  expect(readPieces(['a\nb;c\n'])).toHaveLength(2)
  expect(findFault('a\nb"c\n')).toEqual(['opening_quote', 2])
  expect(findFault('a\n"b')).toEqual(['quote_not_closed', 2])
  expect(findFault(`"${'x'.repeat(1_100_000)}`)).toEqual(['too_long', 1])
})
