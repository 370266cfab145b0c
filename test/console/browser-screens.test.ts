import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { findBarriers } from '../browser/find-barriers.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { openPage } from '../browser/open-page.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { type ConsoleSite, patience, startConsoleSite } from './browser-world.ts'
import { fillAccount } from './lively-account.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const [wide, narrow] = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]
const looks = [
  { colorScheme: 'light', viewport: wide },
  { colorScheme: 'dark', viewport: narrow },
  { colorScheme: 'dark', viewport: wide },
  { colorScheme: 'light', viewport: narrow },
] as const

let pagesSeen = 0
/** By default the first two looks take turns. */
const looksOfNext = () => (runsEveryTest ? looks : looks.slice(pagesSeen++ % 2).slice(0, 1))

/** The screens about an account, and what stands above each */
const screens: [name: string, title: string][] = [
  ['overview', english.overview.title],
  ['users', english.users.title],
  ['events', english.events.title],
  ['webhooks', english.webhooks.title],
  ['transfer', english.transfer.title],
  ['reference', english.reference.title],
  ['keys', english.keys.title],
  ['issuers', english.issuers.title],
  ['signing-keys', english.signingKeys.title],
  ['settings', english.settings.title],
]

describe.skipIf(browser === undefined)(
  'accessible screens, light and dark, wide and narrow',
  () => {
    let site: ConsoleSite
    let userId: string
    let webhookId: string
    beforeAll(async () => {
      site = await startConsoleSite(browser, 1_000)
      const { accountId, clientele } = site
      // Something of everything is there to be shown.
      userId = (await fillAccount(clientele, accountId, { now: Date.now() }, 2)).userId
      const url = 'http://127.0.0.1:9/webhooks'
      webhookId = (await clientele.webhooks.create(accountId, { url, types: ['user.*'] })).id
      await clientele.trustedIssuers.create(accountId, {
        ...{ issuer: 'https://login.example.com', audience: ['https://api.example.com'] },
        ...{ algorithms: ['HS256'], sharedSecret: 'a secret that both sides know, 32 bytes' },
      })
      await clientele.apiKeys.create(accountId, { name: 'Reports', scopes: ['users:read'] })
      await clientele.signingKeys.rotate(accountId)
    })
    afterAll(async () => {
      await site.close()
    })

    /** Looks at a page as it is. */
    async function expectNoBarriers(page: Page, name = page.url()): Promise<void> {
      // What is on its way comes first.
      await expect.poll(() => page.locator('.loading, [aria-busy=true]').count(), patience).toBe(0)
      for (const { colorScheme, viewport } of looksOfNext()) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const look = `${name}: ${colorScheme}, ${viewport.width} px`
        expect.soft(await findBarriers(page), look).toEqual([])
        const width = await page.evaluate('document.documentElement.scrollWidth')
        expect.soft(width, `the width of the page: ${look}`).toBe(viewport.width)
      }
    }

    test('every screen about an account', async () => {
      // One page goes from screen to screen, as an operator does: to load it takes longer than to look at it.
      const page = await site.openAsOperator()
      for (const [name, title] of screens) {
        await page.goto(site.url + site.hashOf(name))
        await page.getByRole('heading', { name: title, level: 1 }).waitFor()
        await expectNoBarriers(page, name)
      }
    })

    test('accounts', async () => {
      await expectNoBarriers(await site.openAsOperator())
    })

    test('one user, one endpoint, one operation of the API', async () => {
      const shown: [screen: string, heading: string][] = [
        [`users/${userId}`, english.user.sessions.title],
        [`webhooks/${webhookId}`, english.webhooks.attempts],
        ['reference/createUser', english.reference.try],
      ]
      const page = await site.openAsOperator()
      for (const [screen, name] of shown) {
        await page.goto(site.url + site.hashOf(screen))
        await page.getByRole('heading', { name }).waitFor()
        await expectNoBarriers(page)
      }
    })

    test('signing in, and a window above a screen', async () => {
      if (browser === undefined) return
      await expectNoBarriers(await openPage(browser, site.url))
      const page = await site.openAsOperator(site.hashOf('users'))
      await page.getByRole('button', { name: english.users.create }).click()
      await page.getByRole('dialog').waitFor()
      await expectNoBarriers(page)
    })
  },
)
