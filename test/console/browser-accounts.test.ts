import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { createHand, handsTried } from '../browser/hands.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { insertRows, numberedId } from '../support/run-sql.ts'
import { button, type ConsoleSite, patience, row, startConsoleSite } from './browser-world.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const { accounts: t, words } = english

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsoleSite(browser, 3)
  // They are older than Acme.
  await insertRows(site.databaseUrl, 'clientele_accounts', 120, {
    id: numberedId(site.databaseUrl),
    name: "'Shop ' || n",
    slug: "'shop-' || n",
    created_at: '1000 + n',
  })
})
afterAll(async () => {
  await site.close()
})

describe.skipIf(browser === undefined).each(handsTried)(
  'operators find one of many accounts, by %s',
  (handName) => {
    test('further on in the list, which stays as long as it is when an account is changed', async () => {
      const page = await site.openAsOperator()
      const hand = createHand(handName, page)
      await page.getByText(t.first('50')).waitFor()
      const shops = row(page, 'Shop ')
      expect(await shops.count()).toBe(50)
      await hand.press(button(page, t.more))
      await page.getByText(t.first('100')).waitFor()
      expect(await shops.count()).toBe(100)
      const name = handName === 'pointer' ? 'Shop 57' : 'Shop 58'
      await hand.press(button(page, t.edit(name)))
      await hand.type(page.getByRole('dialog').getByLabel(t.name), `${name} renamed`)
      await hand.press(button(page, words.save))
      await row(page, `${name} renamed`).waitFor()
      expect(await shops.count()).toBe(100)
      await hand.press(button(page, t.more))
      await page.getByText(t.total('121', 121)).waitFor()
      expect(await button(page, t.more).count()).toBe(0)
      await page.context().close()
    })

    test('by a search, whose text is in the address, and opens it', async () => {
      const page = await site.openAsOperator()
      const hand = createHand(handName, page)
      await hand.type(page.getByLabel(t.search), 'acm')
      await page.getByText(t.found('1', 1)).waitFor()
      await expect.poll(() => page.url(), patience).toContain('q=acm')
      await page.reload()
      await page.getByText(t.found('1', 1)).waitFor()
      await hand.type(page.getByLabel(t.search), 'nobody')
      await page.getByText(t.noneFound).waitFor()
      await hand.type(page.getByLabel(t.search), 'acme')
      await hand.press(page.getByRole('link', { name: 'Acme' }))
      await page.getByRole('banner').getByText('Acme').waitFor()
      await page.context().close()
    })
  },
)
