import { StringDecoder } from 'node:string_decoder'

/** The lines of a file, without their ends and without a byte order mark. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let isFirst = true
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + decoder.write(chunk)
    const lines = text.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      yield trimLine(line, isFirst)
      isFirst = false
    }
  }
  rest += decoder.end()
  if (rest !== '') yield trimLine(rest, isFirst)
}

function trimLine(line: string, isFirst: boolean): string {
  const end = line.endsWith('\r') ? line.slice(0, -1) : line
  return isFirst && end.startsWith('\u{FEFF}') ? end.slice(1) : end
}
