import Sqlite from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { button, type ConsoleSite, startConsoleSite } from './browser-world.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const { problems, users, signIn } = english

describe.skipIf(browser === undefined)('failures that keep the typed text', () => {
  let site: ConsoleSite
  beforeAll(async () => {
    site = await startConsoleSite(browser, 10_000)
  })
  afterAll(async () => {
    await site.close()
  })

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: users.create })
  const submit = (page: Page) => dialogOf(page).getByRole('button', { name: users.create }).click()

  /** Types a user, and does not send it. */
  async function type(page: Page, email: string): Promise<void> {
    await page.goto(`${site.url}${site.hashOf('users')}`)
    await page.getByRole('button', { name: users.create }).first().click()
    await dialogOf(page).getByLabel(users.name, { exact: true }).fill('Grace Hopper')
    await dialogOf(page).getByLabel(users.email).fill(email)
    await dialogOf(page).getByLabel(users.password).fill('nanoseconds')
  }

  async function expectTyped(page: Page, email: string): Promise<void> {
    const dialog = dialogOf(page)
    expect(await dialog.getByLabel(users.name, { exact: true }).inputValue()).toBe('Grace Hopper')
    expect(await dialog.getByLabel(users.email).inputValue()).toBe(email)
    expect(await dialog.getByLabel(users.password).inputValue()).toBe('nanoseconds')
  }

  async function expectCreatedOnce(page: Page, email: string): Promise<void> {
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
    const { data } = await site.clientele.users.list(site.accountId, { email })
    expect(data).toHaveLength(1)
  }

  test('a network failure', async () => {
    const email = 'offline@example.com'
    const page = await site.openAsOperator()
    await type(page, email)
    await page.context().setOffline(true)
    await submit(page)
    await page.getByText(problems.offlineTitle).first().waitFor()
    await expectTyped(page, email)
    await page.context().setOffline(false)
    await submit(page)
    await expectCreatedOnce(page, email)
  })

  test('a database that does not answer: 503', async () => {
    const email = 'unavailable@example.com'
    const page = await site.openAsOperator()
    await type(page, email)
    const other = new Sqlite(site.databaseUrl.slice('sqlite:'.length))
    try {
      other.exec('begin immediate')
      await submit(page)
      await page.getByText(problems.unavailableTitle).first().waitFor({ timeout: 15_000 })
      await expectTyped(page, email)
      other.exec('rollback')
    } finally {
      other.close()
    }
    await submit(page)
    await expectCreatedOnce(page, email)
  })

  test('a session that ends because its key is revoked', async () => {
    const email = 'ended@example.com'
    const { page, keyId } = await site.openAsAccount()
    await type(page, email)
    await site.clientele.apiKeys.revoke(site.accountId, keyId)
    await submit(page)
    await page.getByRole('heading', { name: signIn.ended }).waitFor()
    const { apiKey } = await site.clientele.apiKeys.create(site.accountId)
    const dialog = page.getByRole('dialog', { name: signIn.ended })
    await dialog.getByLabel(signIn.field).fill('cu_live_wrong')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(signIn.field).fill(apiKey)
    await page.keyboard.press('Enter')
    // What was sent waited, and is sent by itself.
    await expectCreatedOnce(page, email)
  })

  test('a session that has ended meanwhile', async () => {
    const page = await site.openAsOperator(site.hashOf('users'))
    await page.getByText('users').first().waitFor()
    await page.context().clearCookies()
    await page.getByLabel(users.filters.search).fill('user4711@')
    await page.getByRole('heading', { name: signIn.ended }).waitFor()
    expect(await page.getByLabel(users.filters.search).inputValue()).toBe('user4711@')
    const { token } = await site.clientele.console.createLink()
    await page.getByLabel(signIn.field).fill(`${site.url}#link=${token}`)
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: 'user4711@example.com' }).waitFor()
  })

  test('a list that cannot be reloaded keeps its old rows', async () => {
    const page = await site.openAsOperator(site.hashOf('users'))
    await page.getByRole('row').nth(3).waitFor()
    const rows = await page.getByRole('row').count()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: english.pager.next }).click()
    await page.getByText(problems.offlineTitle).waitFor()
    expect(await page.getByRole('row').count()).toBe(rows)
    await page.context().setOffline(false)
    await page.getByRole('button', { name: english.words.tryAgain }).click()
    await page.getByText(problems.offlineTitle).waitFor({ state: 'detached' })
  })

  test('a sign-out that fails says so, and can be tried again', async () => {
    const page = await site.openAsOperator()
    await page.route('**/session', (route) => route.fulfill({ status: 503, body: '' }))
    await button(page, english.shell.signOut).click()
    const dialog = page.getByRole('dialog', { name: english.shell.stillSignedIn })
    await dialog.getByText(problems.status(503)).waitFor()
    await page.unroute('**/session')
    await dialog.getByRole('button', { name: english.words.tryAgain }).click()
    await page.getByLabel(signIn.field).waitFor()
  })
})
