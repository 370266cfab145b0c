import fc from 'fast-check'
import { expect, test } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import {
  type CsvRow,
  explainCsvFault,
  readRows,
} from '../../packages/console/src/page/screens/transfer/read-rows.ts'

async function readPieces(pieces: readonly string[]): Promise<CsvRow[]> {
  async function* send(): AsyncGenerator<string> {
    yield* pieces
  }
  const rows: CsvRow[] = []
  for await (const row of readRows(send())) rows.push(row)
  return rows
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

test('written CSV is read unchanged, wherever its chunks are cut', async () => {
  const write = (text: string): string =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const pieceLengths = fc.array(fc.nat({ max: 5 }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(rows, ends, pieceLengths, async (table, end, lengths) => {
      const text = table.map((cells) => cells.map(write).join(',') + end).join('')
      // A row of one empty cell is a line without anything.
      const written = table.filter((cells) => cells.length > 1 || cells[0] !== '')
      const read = await readPieces(cut(text, lengths))
      expect(read.map(({ cells }) => cells)).toEqual(written)
    }),
  )
})

test('each row has the number of the line on which it ends', async () => {
  const read = await readPieces(['name,roles\r', '\n"a\r', '\nb",x\r\n\r\n', 'c,y'])
  expect(read).toEqual([
    { cells: ['name', 'roles'], line: 1 },
    { cells: ['a\r\nb', 'x'], line: 3 },
    { cells: ['c', 'y'], line: 5 },
  ])
})

const { csvFaults, noCsv } = english.transfer
test.each([
  ['a\n"b"c\n', noCsv(2, csvFaults.CSV_INVALID_CLOSING_QUOTE)],
  ['a\nb"c\n', noCsv(2, csvFaults.INVALID_OPENING_QUOTE)],
  ['a\n"b', noCsv(2, csvFaults.CSV_QUOTE_NOT_CLOSED)],
  [`"${'x'.repeat(1_100_000)}`, noCsv(1, csvFaults.CSV_MAX_RECORD_SIZE)],
  ['a;b\nc;d\n', noCsv(1, csvFaults.SEPARATOR)],
  ['a\tb\n', noCsv(1, csvFaults.SEPARATOR)],
  ['"a";"b"\n', noCsv(1, csvFaults.SEPARATOR)],
  ['\na;b', noCsv(1, csvFaults.SEPARATOR)],
])('invalid CSV is refused with its line: %#', async (text, said) => {
  const fault = await readPieces([text]).catch((error: unknown) => error)
  expect(explainCsvFault(fault)).toBe(said)
})
