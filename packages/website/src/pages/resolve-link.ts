import { posix } from 'node:path'
import { isFolder, isInRepository, repositoryUrl } from './repository.ts'

/** What a link of a page leads to. */
export type Target =
  | { kind: 'page'; source: string; anchor: string }
  | { kind: 'file'; path: string; anchor: string }
  | { kind: 'elsewhere' }

/**
 * Finds what a link means: an address on GitHub, or a path from the folder of its page. Addresses of other hosts, anchors
 * and paths of the site itself (`/reference/http/`) lead elsewhere.
 *
 * @throws Error when the repository does not have the file
 */
export function resolveLink(link: string, source: string, sources: ReadonlySet<string>): Target {
  const address =
    /^https:\/\/(?:github\.com\/clientele\/clientele\/(?:blob|tree)|raw\.githubusercontent\.com\/clientele\/clientele)\/main\/([^#]*)(.*)$/
  const [, inside, hash] = address.exec(link) ?? []
  if (inside === undefined && /^([a-z]+:|#|\/)/.test(link)) return { kind: 'elsewhere' }
  const [file = '', name = ''] = (inside === undefined ? link : `${inside}${hash}`).split('#')
  const base = inside === undefined ? posix.dirname(source) : '.'
  const path = posix.join(base, decodeURIComponent(file)).replace(/\/$/, '')
  if (!isInRepository(path)) throw new Error(`${source} links to ${link}, which does not exist.`)
  const readme = posix.join(path, 'README.md')
  const asPage = isFolder(path) && sources.has(readme) ? readme : path
  const anchor = name === '' || name === 'readme' ? '' : `#${name}`
  return sources.has(asPage)
    ? { kind: 'page', source: asPage, anchor }
    : { kind: 'file', path, anchor }
}

/** Where a file of the repository is shown. */
export function addressOf(path: string): string {
  return `${repositoryUrl}/${isFolder(path) ? 'tree' : 'blob'}/main/${path}`
}
