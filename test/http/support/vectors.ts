import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Public vectors, read where they lie beside the repository, where they do.
const folder = join(import.meta.dirname, '../../../../shared/vectors')

function read(name: string): string | undefined {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** The big list of naughty strings (minimaxir/big-list-of-naughty-strings); undefined where it is absent. */
export function readNaughtyStrings(): string[] | undefined {
  const text = read('blns.json')
  return text === undefined ? undefined : JSON.parse(text)
}

/** The addresses of dominicsayers/isemail; undefined where they are absent. */
export function readAddresses(): string[] | undefined {
  const text = read('isemail-tests.xml')
  if (text === undefined) return undefined
  return [...text.matchAll(/<address>(.*?)<\/address>/gs)].map(([, address = '']) =>
    address
      .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
      // The file writes control characters as their symbols.
      .replace(/[\u2400-\u2421]/g, (symbol) => String.fromCodePoint(symbol.charCodeAt(0) - 0x2400)),
  )
}

export interface JwsGroup {
  comment: string
  private: { kty: string; alg: string; kid?: string }
  public?: { kty: string; alg: string; kid?: string }
  tests: { tcId: number; comment: string; jws: string; result: 'valid' | 'invalid' }[]
}

/** Wycheproof's cases for JSON Web Signatures (C2SP/wycheproof); undefined where they are absent. */
export function readJwsGroups(): JwsGroup[] | undefined {
  const text = read('json_web_signature_test.json')
  return text === undefined ? undefined : JSON.parse(text).testGroups
}
