import { hideCode } from './hide-code.ts'
import { addressOf, resolveLink } from './resolve-link.ts'
import { routeOf } from './sections.ts'

export interface RewrittenPage {
  text: string
  /** Paths in the repository of the pictures that the page shows */
  pictures: string[]
}

/** Makes links that work in the repository work on the site: to its pages, and for everything else to GitHub. */
export function rewriteLinks(
  page: string,
  source: string,
  sources: ReadonlySet<string>,
): RewrittenPage {
  const pictures: string[] = []
  const rewrite = (link: string): string => {
    const target = resolveLink(link, source, sources)
    if (target.kind === 'elsewhere') return link
    if (target.kind === 'page') return `${routeOf(target.source)}${target.anchor}`
    if (!/\.(png|svg|webp)$/.test(target.path)) return addressOf(target.path) + target.anchor
    pictures.push(target.path)
    return `/${target.path}`
  }
  // A text of a link may be code: its place is kept.
  const { text, restore } = hideCode(page)
  const changed = text
    .replaceAll(/\]\(([^)\s]+)\)/g, (_, link) => `](${rewrite(link)})`)
    .replaceAll(/^(\[[^\]]+\]: *)(\S+)/gm, (_, start, link) => start + rewrite(link))
    .replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (_, name, link) => `${name}="${rewrite(link)}"`)
  return { text: restore(changed), pictures }
}
