/** A row of CSV, and the line on which it ends. */
export interface CsvRow {
  cells: string[]
  line: number
}

export type CsvFault =
  | 'closing_quote'
  | 'opening_quote'
  | 'quote_not_closed'
  | 'separator'
  | 'too_long'

/** What is read is no CSV (RFC 4180). */
export class CsvError extends Error {
  override readonly name = 'CsvError'
  readonly fault: CsvFault
  readonly line: number

  constructor(fault: CsvFault, line: number) {
    super(fault)
    this.fault = fault
    this.line = line
  }
}

/** What stands between cells where no commas do */
const otherSeparator = /[;\t]/

/** No row is nearly as long: a quote is not closed. */
const maxRowLength = 1024 * 1024

/**
 * Reads CSV in pieces, wherever they are cut: commas, quotes doubled inside of quotes, any ends of lines. Rows without
 * anything in them are left out.
 */
export class CsvReader {
  #cells: string[] = []
  #cell = ''
  #rowLength = 0
  #line = 1
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  #isAfterReturn = false
  #hasNames = false

  /** @throws CsvError */
  read(text: string): CsvRow[] {
    const rows: CsvRow[] = []
    for (const letter of text) {
      const isRestOfEnd = this.#isAfterReturn && letter === '\n'
      this.#isAfterReturn = letter === '\r'
      if (isRestOfEnd && this.#state !== 'quoted') continue
      if (++this.#rowLength > maxRowLength) throw new CsvError('too_long', this.#line)
      const isEnd = letter === '\n' || letter === '\r'
      if (this.#state === 'quoted') {
        this.#readQuoted(letter)
        if (isEnd && !isRestOfEnd) this.#line++
      } else if (isEnd) {
        this.#endRow(rows)
        this.#line++
      } else this.#readUnquoted(letter)
    }
    return rows
  }

  /** @throws CsvError */
  end(): CsvRow[] {
    if (this.#state === 'quoted') throw new CsvError('quote_not_closed', this.#line)
    const rows: CsvRow[] = []
    this.#endRow(rows)
    return rows
  }

  #readQuoted(letter: string): void {
    if (letter === '"') this.#state = 'closed'
    else this.#cell += letter
  }

  #readUnquoted(letter: string): void {
    if (letter === ',') {
      this.#cells.push(this.#cell)
      this.#cell = ''
      this.#state = 'start'
    } else if (letter === '"') {
      if (this.#state === 'plain') throw new CsvError('opening_quote', this.#line)
      // The second of two quotes inside of a quoted cell is one.
      if (this.#state === 'closed') this.#cell += '"'
      this.#state = 'quoted'
    } else {
      if (this.#state === 'closed')
        throw new CsvError(otherSeparator.test(letter) ? 'separator' : 'closing_quote', this.#line)
      this.#cell += letter
      this.#state = 'plain'
    }
  }

  #endRow(rows: CsvRow[]): void {
    const isEmpty = this.#cells.length === 0 && this.#state === 'start'
    if (!isEmpty) {
      if (!this.#hasNames && this.#cells.length === 0 && otherSeparator.test(this.#cell))
        throw new CsvError('separator', this.#line)
      this.#hasNames = true
      rows.push({ cells: [...this.#cells, this.#cell], line: this.#line })
    }
    this.#cells = []
    this.#cell = ''
    this.#rowLength = 0
    this.#state = 'start'
  }
}
