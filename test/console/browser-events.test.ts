import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { button, type ConsoleSite, patience, startConsoleSite } from './browser-world.ts'

vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
let site: ConsoleSite
beforeAll(async () => {
  site = await startConsoleSite(browser, 0)
  const { accountId, clientele } = site
  const user = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }
  const { id } = (await clientele.users.create(accountId, user)).user
  for (let change = 0; change < 60; change++)
    await clientele.users.patch(accountId, id, { name: `Ada ${change}` })
})
afterAll(() => site.close())

describe.skipIf(browser === undefined)('events', () => {
  test('that were asked for before the filters changed are not added to the new list', async () => {
    const t = english.events
    const page = await site.openAsOperator(site.hashOf('events?type=user.updated'))
    const shown = page.getByRole('list', { name: t.title }).getByRole('listitem')
    await expect.poll(() => shown.count(), patience).toBe(50)
    const held = Promise.withResolvers<void>()
    const isOlder = (url: URL) => /sort=-created_at.*after=/.test(url.search)
    await page.route(isOlder, (route) => held.promise.then(() => route.continue()))
    const answered = page.waitForResponse((response) => isOlder(new URL(response.url())))
    await button(page, t.loadOlder).click()
    await page.getByLabel(t.type, { exact: true }).selectOption('user.created')
    await expect.poll(() => shown.count(), patience).toBe(1)
    held.resolve()
    await (await answered).finished()
    await page.waitForTimeout(150)
    expect(await shown.count()).toBe(1)
  })
})
