import { settingTable } from './setting-table.ts'

const width = 100

/** The settings as `clientele serve --help` shows them. */
export function describeSettings(): string {
  return Object.values(settingTable)
    .map(({ variable, fallback, about }) => {
      const title = fallback === undefined ? variable : `${variable} (${fallback})`
      return `  ${title}\n${wrap(about.replaceAll('`', ''))}`
    })
    .join('\n')
}

function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length + 7 > width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.map((line) => `      ${line}`).join('\n')
}
