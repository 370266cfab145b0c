import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { button, type ConsoleSite, heading, startConsoleSite } from './browser-world.ts'

vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
let site: ConsoleSite
beforeAll(async () => {
  site = await startConsoleSite(browser, 1)
})
afterAll(() => site.close())

describe.skipIf(browser === undefined)('a secret that is shown once', () => {
  test('stays until its button is pressed, however often Escape is', async () => {
    const user = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }
    const { id } = (await site.clientele.users.create(site.accountId, user)).user
    const page = await site.openAsOperator(site.hashOf(`users/${id}`))
    await heading(page, 'Ada Lovelace').waitFor()
    const t = english.user.tokens
    const dialog = page.getByRole('dialog')
    await page
      .getByRole('region', { name: t.title, exact: true })
      .getByRole('button', { name: t.create })
      .click()
    await dialog.getByLabel(english.keys.name).fill('Script')
    await dialog.getByRole('button', { name: t.create }).click()
    const secret = dialog.getByText(/^cut_live_\w{71}$/)
    await secret.waitFor()
    for (let times = 0; times < 5; times++) {
      await page.keyboard.press('Escape')
      await page.waitForTimeout(150)
      expect(await secret.isVisible()).toBe(true)
    }
  })

  test('is shown also if Escape and Back are pressed before and after', async () => {
    const t = english.keys
    const page = await site.openAsOperator(site.hashOf('overview'))
    await page.getByRole('link', { name: t.title, exact: true }).click()
    await button(page, t.create).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t.name, { exact: true }).fill('Backend')
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api-keys', (route) => held.then(() => route.continue()))
    await button(page, t.create).last().click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.goBack()
    await page.waitForTimeout(150)
    release()
    const secret = dialog.getByText(/^cu_live_\w{71}$/)
    await secret.waitFor()
    await page.goForward()
    await page.goBack()
    await page.waitForTimeout(150)
    expect(await secret.isVisible()).toBe(true)
    await button(page, english.words.kept).click()
    await heading(page, english.overview.title).waitFor()
  })
})
