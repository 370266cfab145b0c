import { escapeMarkup } from '../pages/escape-markup.ts'

/** Text of the sources as Markdown. */
export const escapeText = escapeMarkup

/** The same in one line, for a cell of a table. */
export function escapeCell(text: string): string {
  return escapeText(text.replaceAll(/\s+/g, ' ').trim()).replaceAll('|', '\\|')
}

/** A word of code: in a cell, too. */
export function toCode(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

export function toBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
}

export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Paragraphs, without those that are empty. */
export function joinParts(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}
