import { StringDecoder } from 'node:string_decoder'

/** Longer than any record, even with ignored columns: a longer line means a file without line breaks. */
export const maxLineLength = 16 * 1024 * 1024

/** The lines of a file, without their ends and without a byte order mark; undefined for one that is too long. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<string | undefined> {
  const decoder = new StringDecoder('utf8')
  const line = new Line()
  for await (const chunk of chunks) {
    const pieces = decoder.write(chunk).split('\n')
    const last = pieces.pop() ?? ''
    for (const piece of pieces) {
      line.add(piece)
      yield line.take()
    }
    line.add(last)
  }
  line.add(decoder.end())
  if (!line.isEmpty) yield line.take()
}

/** A line that arrives in pieces. They are joined once, at its end: joining each time would take quadratic time. */
class Line {
  #pieces: string[] = []
  #length = 0
  #isFirst = true

  get isEmpty(): boolean {
    return this.#length === 0
  }

  add(piece: string): void {
    this.#length += piece.length
    if (this.#length > maxLineLength) this.#pieces = []
    else this.#pieces.push(piece)
  }

  take(): string | undefined {
    const text =
      this.#length > maxLineLength ? undefined : trimLine(this.#pieces.join(''), this.#isFirst)
    this.#pieces = []
    this.#length = 0
    this.#isFirst = false
    return text
  }
}

function trimLine(line: string, isFirst: boolean): string {
  const end = line.endsWith('\r') ? line.slice(0, -1) : line
  return isFirst && end.startsWith('\u{FEFF}') ? end.slice(1) : end
}
