import { ClienteleError } from '../base/errors.ts'
import { type HttpRequest, readHeader } from './message.ts'

/** The ETag (RFC 9110, section 8.8.3) of a user in this version. */
export function toEntityTag(version: number): string {
  return `"${version}"`
}

/** Tags that name no version of ours are left out. */
export type ListedVersions = '*' | number[]

// An element of the list, which may be empty (RFC 9110, section 5.6.1), and the comma behind it. Each step has one way
// to go: a long field costs no more than its length.
const element = /(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]+)"[ \t]*)?(?:,[ \t]*|$)/y

/**
 * Reads what `If-Match` or `If-None-Match` lists: `*`, or the versions of those tags that can be ours. `W/"3"` is
 * `"3"`: proxies that compress weaken tags, and ours name a version and not bytes.
 *
 * @throws ClienteleError `header_invalid` when the field is not in its grammar, or a tag is empty
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
    if (found === null) throw new ClienteleError('header_invalid')
    if (found[1] !== undefined) tags.push(found[1])
  } while (element.lastIndex < value.length)
  if (tags.length === 0) throw new ClienteleError('header_invalid')
  return tags.filter((tag) => /^[1-9][0-9]{0,14}$/.test(tag)).map(Number)
}

export function includesVersion(listed: ListedVersions, version: number): boolean {
  return listed === '*' || listed.includes(version)
}
