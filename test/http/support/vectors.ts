import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownAddresses, ownStrings } from './own-strings.ts'

// Published lists, read where they lie beside the repository. Where they do not, our own prove the same, smaller.
const folder = join(import.meta.dirname, '../../../../shared/vectors')

/** Whether the published lists are there. */
export const hasPublishedVectors: boolean = existsSync(folder)

function read(name: string): string | undefined {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Our own strings, and the big list of naughty strings (minimaxir/big-list-of-naughty-strings) where it is there. */
export function readNaughtyStrings(): string[] {
  const text = read('blns.json')
  return [...ownStrings, ...(text === undefined ? [] : JSON.parse(text))]
}

/** Our own addresses, and those of dominicsayers/isemail where they are there. */
export function readAddresses(): string[] {
  const text = read('isemail-tests.xml') ?? ''
  const published = [...text.matchAll(/<address>(.*?)<\/address>/gs)].map(([, address = '']) =>
    address
      .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
      // The file writes control characters as their symbols.
      .replace(/[\u2400-\u2421]/g, (symbol) => String.fromCodePoint(symbol.charCodeAt(0) - 0x2400)),
  )
  return [...ownAddresses, ...published]
}

/** The compact signatures of Wycheproof (C2SP/wycheproof), none of them ours; none where they are not there. */
export function readForeignJws(): string[] {
  const text = read('json_web_signature_test.json')
  if (text === undefined) return []
  const { testGroups }: { testGroups: { tests: { jws: string }[] }[] } = JSON.parse(text)
  return testGroups.flatMap(({ tests }) => tests.map(({ jws }) => jws))
}
