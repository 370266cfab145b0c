import type { HttpRequest } from './contract.ts'

/** The strong ETag (RFC 9110, section 8.8.3) of a user in this version. */
export function toEntityTag(version: number): string {
  return `"${version}"`
}

/** What `If-Match` or `If-None-Match` lists: `*`, or entity tags as they were sent. */
export function readEntityTags(
  request: HttpRequest,
  name: 'if-match' | 'if-none-match',
): '*' | string[] | undefined {
  const value = request.headers[name]
  if (value === undefined) return undefined
  if (value.trim() === '*') return '*'
  return value.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Whether one of the tags names this version; weakly, `W/"1"` is the same as `"1"`. */
export function includesVersion(tags: '*' | string[], version: number, weakly: boolean): boolean {
  if (tags === '*') return true
  const own = toEntityTag(version)
  return tags.some((tag) => tag === own || (weakly && tag === `W/${own}`))
}

/** The version of a strong tag; undefined when it can't be one of ours. */
export function versionOf(tag: string): number | undefined {
  const digits = /^"([1-9][0-9]{0,14})"$/.exec(tag)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
