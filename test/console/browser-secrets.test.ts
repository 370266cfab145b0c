import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { button, type ConsoleSite, heading, patience, startConsoleSite } from './browser-world.ts'

vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
let site: ConsoleSite
beforeAll(async () => {
  site = await startConsoleSite(browser, 1)
})
afterAll(() => site.close())

/** What the browser has asked before it left the page; each is answered with no. */
function hearQuestions(page: Page): string[] {
  const asked: string[] = []
  page.on('dialog', (question) => {
    asked.push(question.type())
    question.dismiss()
  })
  return asked
}

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

  test('is not left without a question, neither while it is made nor afterwards', async () => {
    const t = english.keys
    const page = await site.openAsOperator()
    await page.goto('about:blank')
    await page.goto(`${site.url}${site.hashOf('keys')}`)
    const asked = hearQuestions(page)
    await button(page, t.create).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t.name, { exact: true }).fill('Backend')
    const held = Promise.withResolvers<void>()
    await page.route('**/api-keys', (route) => held.promise.then(() => route.continue()))
    await button(page, t.create).last().click()
    await page.evaluate('history.back()')
    await expect.poll(() => asked, patience).toEqual(['beforeunload'])
    held.resolve()
    const secret = dialog.getByText(/^cu_live_\w{71}$/)
    await secret.waitFor()
    await page.evaluate('location.reload()')
    await expect.poll(() => asked, patience).toHaveLength(2)
    expect(await secret.isVisible()).toBe(true)
    await button(page, english.words.kept).click()
    await dialog.waitFor({ state: 'detached' })
    await page.reload()
    await heading(page, t.title).waitFor()
    expect(asked).toHaveLength(2)
  })

  test('is not asked about when a different person signs in while it is made', async () => {
    const t = english.keys
    const page = await site.openAsOperator(site.hashOf('keys'))
    const asked = hearQuestions(page)
    await button(page, t.create).first().click()
    await page.getByRole('dialog').getByLabel(t.name, { exact: true }).fill('Backend')
    await page.context().clearCookies()
    await button(page, t.create).last().click()
    const { apiKey } = await site.clientele.apiKeys.create(site.accountId)
    await page.getByLabel(english.signIn.field).fill(apiKey)
    await button(page, english.signIn.button).click()
    await heading(page, english.overview.title).waitFor()
    expect(asked).toEqual([])
  })
})

describe.skipIf(browser === undefined)('the receipt of an erasure', () => {
  test('is shown also if Back is pressed before, and stays until its button is pressed', async () => {
    const t = english.user
    const email = 'grace@example.com'
    const user = { name: 'Grace Hopper', email, password: 'analytical engine' }
    const { id } = (await site.clientele.users.create(site.accountId, user)).user
    const page = await site.openAsOperator(site.hashOf('overview'))
    await page.goto(`${site.url}${site.hashOf(`users/${id}`)}`)
    await button(page, t.personal.erase).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(english.words.typeName(email)).fill(email)
    const held = Promise.withResolvers<void>()
    await page.route('**/erase', (route) => held.promise.then(() => route.continue()))
    await dialog.getByRole('button', { name: t.personal.erase, exact: true }).click()
    await page.goBack()
    await page.waitForTimeout(150)
    held.resolve()
    const receipt = dialog.getByText(t.receipt.text)
    await receipt.waitFor()
    for (let times = 0; times < 3; times++) {
      await page.keyboard.press('Escape')
      await page.waitForTimeout(150)
      expect(await receipt.isVisible()).toBe(true)
    }
    await button(page, english.words.close).click()
    await heading(page, english.users.title).waitFor()
    expect(await dialog.count()).toBe(0)
  })
})
