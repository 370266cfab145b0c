import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Styles a text if the stream is a terminal. NO_COLOR and FORCE_COLOR decide instead where they are set. */
export function paint(
  format: Format,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return text === '' ? '' : styleText(format, text, { stream })
}
