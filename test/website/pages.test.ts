import { globSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findDeadLinks } from '../../packages/website/src/checks/find-dead-links.ts'
import { collectPages } from '../../packages/website/src/pages/collect-pages.ts'
import { drawBlocks } from '../../packages/website/src/pages/draw-blocks.ts'
import { escapeMarkup } from '../../packages/website/src/pages/escape-markup.ts'
import { rewriteLinks } from '../../packages/website/src/pages/rewrite-links.ts'
import { slugify } from '../../packages/website/src/pages/slugify.ts'
import { root } from '../package/source-files.ts'

const { pages, before, after } = collectPages()

/** The headings that a reader finds in this order, where their pages exist. */
const headings = [
  ...['Why and comparison', 'Quick start', 'Concepts', 'Signing in'],
  ...['Passkeys, second factors, Google and Entra', 'Recipes for tenants', 'Events, webhooks'],
  ...['Personal data', 'Validating elsewhere', 'Operations', 'Coming from …'],
  ...['Packages', 'FAQ', 'Security', 'Support policy'],
]

test('the side bar has its headings in their order', () => {
  const found = [...before, ...after].map(({ title }) => title)
  expect(found).toEqual(headings.filter((heading) => found.includes(heading)))
  expect(found.length).toBeGreaterThan(10)
})

test('every guide, README and page of the site is drawn, once, from where it is', () => {
  const files = globSync(
    [
      'packages/*/README.md',
      'packages/core/guides/*.md',
      'packages/core/ERRORS.md',
      'packages/website/pages/**/*.md',
      '{SECURITY,CONTRIBUTING}.md',
    ],
    { cwd: root },
  )
  expect(pages.map(({ source }) => source).toSorted()).toEqual(files.toSorted())
  expect(new Set(pages.map(({ route }) => route)).size).toBe(pages.length)
})

test('every page that is drawn stands in a section, except the first, the codes and the contract', () => {
  const links = [...before, ...after].flatMap(({ entries }) => entries.map(({ link }) => link))
  const elsewhere = ['/', '/problem/', '/guides/http/']
  const missing = pages.filter(({ route }) => !links.includes(route) && !elsewhere.includes(route))
  expect(missing.map(({ route }) => route)).toEqual([])
})

test('links of the repository lead to pages of the site, and otherwise to GitHub', () => {
  const sources = new Set(['packages/core/guides/passkeys.md', 'packages/koa/README.md'])
  const rewrite = (text: string) =>
    rewriteLinks(text, 'packages/website/pages/faq.md', sources).text
  const github = 'https://github.com/clientele/clientele'
  expect(rewrite('[a](../../core/guides/passkeys.md#enrol)')).toBe('[a](/guides/passkeys/#enrol)')
  expect(rewrite(`[a](${github}/blob/main/packages/core/guides/passkeys.md)`)).toBe(
    '[a](/guides/passkeys/)',
  )
  expect(rewrite(`[a](${github}/tree/main/packages/koa#readme)`)).toBe('[a](/packages/koa/)')
  expect(rewrite('[a](../../../test/promises)')).toBe(`[a](${github}/tree/main/test/promises)`)
  const picture = 'packages/console/screenshots/overview.png'
  const raw = 'https://raw.githubusercontent.com/clientele/clientele/main'
  expect(rewrite(`![a](${raw}/${picture})`)).toBe(`![a](/${picture})`)
  expect(rewrite('[a](../../../LICENSE)')).toBe(`[a](${github}/blob/main/LICENSE)`)
  expect(rewrite('[a](#b) [c](https://example.com) [d](/reference/http/)')).toBe(
    '[a](#b) [c](https://example.com) [d](/reference/http/)',
  )
  expect(rewrite('`[a](lost.md)`')).toBe('`[a](lost.md)`')
  expect(() => rewrite('[a](lost.md)')).toThrow('faq.md links to lost.md, which does not exist.')
})

test('blocks are drawn from other files; a block that is not there is an error', () => {
  const block = '<!-- block packages/koa/README.md ts 1 -->'
  expect(drawBlocks(`a\n\n${block}\n`)).toMatch(/^a\n\n```ts\nimport .*clienteleRoutes.*```\n$/s)
  expect(() => drawBlocks(block.replace('1', '99'))).toThrow('has no ts block 99')
  const drawn = pages.filter(({ text }) => /^<!-- (block|file|part) /m.test(text))
  expect(drawn.map(({ source }) => source)).toEqual([])
})

test('text that looks like HTML or a template stays text; code stays code', () => {
  const text = 'Bearer <API_KEY> {{name}} <br> `<a> {{b}}`\n\n```html\n<p>{{c}}</p>\n```\n'
  expect(escapeMarkup(text)).toBe(
    'Bearer &lt;API_KEY> &#123;&#123;name}} <br> `<a> {{b}}`\n\n```html\n<p>{{c}}</p>\n```\n',
  )
})

test.each([
  ['Reference: the HTTP contract', 'reference-the-http-contract'],
  ["What a user can't do", 'what-a-user-cant-do'],
  ['`PUBLIC_URL` and proxies', 'public_url-and-proxies'],
  ['Ünïcode — a dash', 'ünïcode--a-dash'],
])('the anchor of %s is that of GitHub', (heading, anchor) => {
  expect(slugify(heading)).toBe(anchor)
})

test('a dead link of a built page is found: a page, an anchor, a picture', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-links-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'other'))
  const links = ['/base/other/', '/base/other/#here', '#top', 'https://example.com/']
  const dead = ['/base/lost/', '/base/other/#lost', '/outside/', '/base/other']
  const body = [...links, ...dead].map((link) => `<a href="${link}">a</a>`).join('')
  await writeFile(join(folder, 'index.html'), `<p id="top">${body}<img src="/base/lost.png">`)
  await writeFile(join(folder, 'other/index.html'), '<p id="here">')
  expect(findDeadLinks(folder, '/base/')).toEqual(
    [...dead, '/base/lost.png'].map((link) => `index.html: ${link}`),
  )
})
