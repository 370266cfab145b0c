import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Every link and picture of the built pages that leads nowhere on the site, anchors included. */
export function findDeadLinks(folder: string, base: string): string[] {
  const files = globSync('**/*.html', { cwd: folder })
  if (files.length === 0) throw new Error(`No pages are in ${folder}.`)
  const anchors = new Map<string, ReadonlySet<string>>()
  const readAnchors = (file: string): ReadonlySet<string> => {
    const known = anchors.get(file)
    if (known !== undefined) return known
    const found = new Set(
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\sid="([^"]+)"/g)].map(
        ([, id = '']) => id,
      ),
    )
    anchors.set(file, found)
    return found
  }
  return files.flatMap((file) => {
    const page = `http://site${base}${file.replaceAll('\\', '/').replace(/index\.html$/, '')}`
    const html = readFileSync(join(folder, file), 'utf8')
    const links = new Set(
      [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, link = '']) =>
        link.replaceAll('&amp;', '&'),
      ),
    )
    return [...links].filter((link) => isDead(link, page)).map((link) => `${file}: ${link}`)
  })

  function isDead(link: string, page: string): boolean {
    const { origin, pathname, hash } = new URL(link, page)
    if (origin !== 'http://site') return false
    if (!pathname.startsWith(base)) return true
    const path = decodeURIComponent(pathname.slice(base.length))
    const target = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const place = join(folder, target)
    if (!existsSync(place) || statSync(place).isDirectory()) return true
    return hash.length > 1 && !readAnchors(target).has(decodeURIComponent(hash.slice(1)))
  }
}
