import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClienteleError, createClientele, type ErrorCode, toProblem } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { settingTable } from '../../packages/cli/src/server/settings/setting-table.ts'
import { httpErrors, localErrors } from '../../packages/core/src/base/errors.ts'
import { eventTypeNames } from '../../packages/core/src/capabilities/events/event-types.ts'
import { findDeadLinks } from '../../packages/website/src/checks/find-dead-links.ts'
import type { Entry, Section } from '../../packages/website/src/pages/page.ts'
import { findBarriers } from '../browser/find-barriers.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { openPage } from '../browser/open-page.ts'
import { root } from '../package/source-files.ts'
import { type BuiltSite, buildSite } from './built-site.ts'
import { serveFolder } from './serve-folder.ts'

vi.setConfig({ testTimeout: 300_000 })

let site: BuiltSite
let sections: Section[]
beforeAll(async () => {
  site = await buildSite()
  sections = JSON.parse(
    readFileSync(join(root, 'packages/website/dist/pages/sections.json'), 'utf8'),
  )
}, 600_000)
afterAll(() => site?.remove())

const linksOf = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ link, entries: below = [] }) => [link, ...linksOf(below)])
/** The anchors of a page. */
const anchorsOf = (route: string): Set<string | undefined> =>
  new Set([...site.read(`${route}index.html`).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))

describe('the pages', () => {
  test('every page of the side bar is there, and every page but the first is in the side bar', () => {
    const linked = new Set(
      sections.flatMap(({ entries }) => linksOf(entries)).map((link) => link.split('#')[0]),
    )
    expect([...linked].toSorted()).toEqual(site.routes.filter((route) => route !== '/').toSorted())
    const page = site.read('guides/signing-in/index.html')
    const missing = [...linked].filter((link = '') => !page.includes(`href="/docs${link}"`))
    expect(missing).toEqual([])
  })

  test('no link is dead, anchors included', () => {
    expect(findDeadLinks(site.folder, site.base)).toEqual([])
  })

  test('llms.txt names each page, and llms-full.txt has the text of each', () => {
    const list = site.read('llms.txt')
    const whole = site.read('llms-full.txt')
    for (const route of site.routes) {
      const file = route === '/' ? 'index.md' : `${route.slice(1, -1)}.md`
      expect(list).toContain(`(/docs/${file})`)
      expect(whole).toContain(site.read(file).trim())
    }
  })

  const codes = [...Object.values(httpErrors).flatMap(Object.keys), ...Object.keys(localErrors)]
  test.each(codes)('the type of %s leads to its page', (code) => {
    const error = new ClienteleError(code as ErrorCode) // from the tables of codes
    const page = site.read(`problem/${code}/index.html`)
    expect(page).toContain(`<code>${code}</code>`)
    const problem = code in localErrors ? undefined : toProblem(error)
    if (problem === undefined) return
    const { type }: { type: string } = JSON.parse(String(problem.body))
    expect(type.split(':').slice(2).join('/')).toBe(`problem/${code}`)
  })
})

describe('the reference has', () => {
  test('every operation of HTTP', async () => {
    const clientele = await createClientele({ repository: sqlite({ filename: ':memory:' }) })
    const { paths = {} } = await clientele.openApi()
    await clientele.close()
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>).map(
        ({ operationId }) => operationId,
      ),
    )
    const anchors = anchorsOf('reference/http/')
    const kebab = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    expect(ids.length).toBeGreaterThan(50)
    expect(ids.filter((id) => !anchors.has(kebab(id)))).toEqual([])
  })

  test('every type of event, and every setting', () => {
    const types = anchorsOf('reference/events/')
    expect(eventTypeNames.filter((name) => !types.has(name.replace('.', '')))).toEqual([])
    const settings = anchorsOf('reference/settings/')
    const variables = Object.values(settingTable).map(({ variable }) => variable.toLowerCase())
    expect(variables.filter((name) => !settings.has(name))).toEqual([])
  })

  test('every option, the inner ones too, with its docstring', () => {
    const source = readFileSync(
      join(root, 'packages/core/src/clientele/clientele-options.ts'),
      'utf8',
    )
    const text = source.slice(source.indexOf('export interface ClienteleOptions'))
    const names = [...text.slice(0, text.indexOf('\n}\n')).matchAll(/^ {2}(\w+)\??:/gm)]
    const anchors = anchorsOf('reference/options/')
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter(([, name = '']) => !anchors.has(name.toLowerCase()))).toEqual([])
    expect(anchors).toContain('webhookstimeoutseconds')
    expect(site.read('reference/options/index.html')).toContain('The timeout for a receiver')
  })

  test('every command', () => {
    const page = site.read('reference/command-line.md')
    for (const words of ['serve', 'account create', 'user import', 'event verify'])
      expect(page).toContain(`# clientele ${words}\n\n\`\`\`text\nUsage: clientele ${words} `)
  })
})

const browser = await openBrowser()
describe.skipIf(browser === undefined)('in a browser', () => {
  let served: Awaited<ReturnType<typeof serveFolder>>
  beforeAll(async () => {
    served = await serveFolder(site.folder, site.base)
  })
  afterAll(() => served.close())

  const open = (route: string, options?: Parameters<typeof openPage>[2]): Promise<Page> => {
    if (browser === undefined) throw new Error('No browser.')
    return openPage(browser, served.url + route.slice(1), options)
  }
  const wide = { width: 1280, height: 800 }
  const phone = { width: 390, height: 844 }

  test.each([
    '/',
    '/quick-start/express/',
    '/guides/signing-in/',
    '/support-policy/',
    '/reference/options/',
    '/reference/methods/users/',
    '/reference/command-line/',
    '/problem/',
    '/problem/email_taken/',
  ])('%s has no barriers: light and dark, wide and narrow', async (route) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(route, { colorScheme })
      for (const viewport of [wide, phone]) {
        await page.setViewportSize(viewport)
        expect(await findBarriers(page), `${colorScheme}, ${viewport.width} px`).toEqual([])
      }
      const isDark = await page.evaluate('document.documentElement.classList.contains("dark")')
      expect(isDark).toBe(colorScheme === 'dark')
    }
  })

  test('no page scrolls sideways on a phone', async () => {
    const page = await open('/', { viewport: phone })
    const wideOnes: string[] = []
    // The pages of errors are alike.
    const routes = site.routes.filter((route) => !/^\/problem\/(?!email_taken).+/.test(route))
    for (const route of routes) {
      await page.goto(served.url + route.slice(1))
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== phone.width) wideOnes.push(`${route}: ${width} px`)
    }
    expect(wideOnes).toEqual([])
  })

  test('the keyboard skips to the text, and searches', async () => {
    const page = await open('/guides/passkeys/', { viewport: wide })
    await page.keyboard.press('Tab')
    const focused = (what: string) => () => page.evaluate(`document.activeElement.${what}`)
    await expect.poll(focused('textContent.trim()')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await expect.poll(focused('id')).toBe('VPContent')

    await page.keyboard.press('Control+k')
    const box = page.locator('.VPLocalSearchBox')
    await box.locator('input').fill('tokenTtlSeconds')
    await expect.poll(() => box.locator('a.result').count()).toBeGreaterThan(0)
    // While the box fades in, its contrast is low.
    await expect.poll(() => findBarriers(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/reference\/options\/#tokenttlseconds$/)
    await expect.poll(() => page.locator('h1').textContent()).toContain('createClientele')
  })

  test('on a phone the menu opens, and leads to a page', async () => {
    const page = await open('/guides/passkeys/', { viewport: phone })
    await page.locator('.VPLocalNav .menu').click()
    await page.locator('.VPSidebar').getByText('Security', { exact: true }).click()
    await page.waitForURL(/\/docs\/security\/$/)
    await expect.poll(() => page.locator('h1').textContent()).toContain('Security')
  })
})
