import { ClienteleError } from '../base/errors.ts'
import { type HttpRequest, readHeader } from './message.ts'

/** The ETag (RFC 9110, section 8.8.3) of a user's version. */
export function toEntityTag(version: number): string {
  return `"${version}"`
}

/** Tags that cannot be ours are ignored. */
export type ListedVersions = '*' | number[]

// A list element, which may be empty (RFC 9110, section 5.6.1), and its comma. The pattern never backtracks, so that a
// long field takes linear time.
const element = /(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]+)"[ \t]*)?(?:,[ \t]*|$)/y

/**
 * Parses `If-Match` or `If-None-Match`: `*`, or the versions in the tags that can be ours. `W/"3"` equals `"3"`:
 * compressing proxies weaken tags, and our tags identify a version, not bytes.
 *
 * @throws ClienteleError `header_invalid` when the field is malformed or a tag is empty
 */
export function readListedVersions(
  request: Pick<HttpRequest, 'headers'>,
  name: 'if-match' | 'if-none-match',
): ListedVersions | undefined {
  const value = readHeader(request, name)?.trim()
  if (value === undefined || value === '*') return value
  const tags: string[] = []
  element.lastIndex = 0
  do {
    const found = element.exec(value)
    if (found === null) throw malformed(name)
    if (found[1] !== undefined) tags.push(found[1])
  } while (element.lastIndex < value.length)
  if (tags.length === 0) throw malformed(name)
  return tags.filter((tag) => /^[1-9][0-9]{0,14}$/.test(tag)).map(Number)
}

function malformed(name: 'if-match' | 'if-none-match'): ClienteleError {
  const spelt = name === 'if-match' ? 'If-Match' : 'If-None-Match'
  return new ClienteleError(
    'header_invalid',
    `Send ${spelt} as quoted ETags, separated by commas, or as * alone.`,
  )
}

/**
 * The version that `If-Match` requires; null: any.
 *
 * @param readVersion reads the present version
 * @throws ClienteleError `header_invalid`, `precondition_failed`
 */
export async function readExpectedVersion(
  request: Pick<HttpRequest, 'headers'>,
  readVersion: () => Promise<number>,
): Promise<number | null> {
  const versions = readListedVersions(request, 'if-match')
  if (versions === undefined || versions === '*') return null
  const [only] = versions
  if (only !== undefined && versions.length === 1) return only
  // Several tags: if the present version is listed, it must still be the version when it is written.
  const version = await readVersion()
  if (!versions.includes(version)) throw new ClienteleError('precondition_failed')
  return version
}

export function includesVersion(listed: ListedVersions, version: number): boolean {
  return listed === '*' || listed.includes(version)
}
