import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { openPage } from '../browser/open-page.ts'
import { button, type ConsoleSite, heading, patience, startConsoleSite } from './browser-world.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const { accounts, problems, signIn, users, words } = english

describe.skipIf(browser === undefined)('ways to sign in', () => {
  let site: ConsoleSite
  /** The operators that the host authorizes */
  let vouched: { name: string } | undefined
  beforeAll(async () => {
    site = await startConsoleSite(browser, 30, { authorize: () => vouched })
  })
  afterEach(() => {
    vouched = undefined
  })
  afterAll(async () => {
    await site.close()
  })

  const openFresh = async (hash = ''): Promise<Page> => {
    if (browser === undefined) throw new Error('No browser.')
    return openPage(browser, `${site.url}${hash}`)
  }
  const ended = (page: Page) => page.getByRole('dialog', { name: signIn.ended })
  const search = (page: Page) => page.getByLabel(users.filters.search)

  /** Opens a link in the tab that shows the page. */
  async function follow(page: Page, token?: string): Promise<void> {
    const link = token ?? (await site.clientele.console.createLink()).token
    await page.goto(`${site.url}#link=${link}`)
    await expect.poll(() => page.url(), patience).not.toContain(link)
  }

  /** Looks at users as the host's operator, and types. */
  async function typeAsVouched(): Promise<Page> {
    vouched = { name: 'Grace' }
    const page = await openFresh(site.hashOf('users'))
    await page.getByRole('row').nth(3).waitFor()
    await button(page, users.create).first().click()
    await page.getByLabel(users.email).fill('typed@example.com')
    return page
  }

  const submit = (page: Page) =>
    page.getByRole('dialog', { name: users.create }).getByRole('button', { name: users.create })

  async function expectCreated(page: Page): Promise<void> {
    await heading(page, 'Ada').waitFor()
    const { data } = await site.clientele.users.list(site.accountId, { email: 'typed@example.com' })
    expect(data).toHaveLength(1)
    await site.clientele.users.delete(site.accountId, data[0]?.id ?? '')
  }

  describe('an authorize function of the host', () => {
    test('is called again by a button, and the typed text is sent', async () => {
      const page = await typeAsVouched()
      await page.getByLabel(users.name, { exact: true }).fill('Ada')
      await page.getByLabel(users.password).fill('nanoseconds')
      vouched = undefined
      await submit(page).click()
      await ended(page).getByText(signIn.notVouched).waitFor()
      await ended(page).getByRole('button', { name: words.tryAgain }).click()
      await ended(page).getByText(signIn.notVouched).waitFor()
      expect(await ended(page).getByLabel(signIn.field).isVisible()).toBe(true)
      vouched = { name: 'Grace' }
      await ended(page).getByRole('button', { name: words.tryAgain }).click()
      await expectCreated(page)
    })

    test('is called by the page as soon as the session has ended', async () => {
      const page = await typeAsVouched()
      await page.getByLabel(users.name, { exact: true }).fill('Ada')
      await page.getByLabel(users.password).fill('nanoseconds')
      vouched = undefined
      await page.route('**/session', (route) => {
        vouched = { name: 'Grace' }
        return route.continue()
      })
      await submit(page).click()
      await expectCreated(page)
    })

    test('does not give the page of one operator to another', async () => {
      const page = await typeAsVouched()
      await page.getByLabel(users.name, { exact: true }).fill('Ada')
      await page.getByLabel(users.password).fill('nanoseconds')
      vouched = undefined
      await submit(page).click()
      await ended(page).getByText(signIn.notVouched).waitFor()
      vouched = { name: 'Edsger' }
      await ended(page).getByRole('button', { name: words.tryAgain }).click()
      await ended(page).getByText(signIn.another('Edsger')).waitFor()
      const email = 'typed@example.com'
      expect((await site.clientele.users.list(site.accountId, { email })).data).toEqual([])
      vouched = { name: 'Grace' }
      await ended(page).getByRole('button', { name: words.tryAgain }).click()
      await expectCreated(page)
    })
  })

  describe('a link that is opened in an open page', () => {
    test('signs a signed-out operator in, and stays on the page', async () => {
      const page = await openFresh(site.hashOf('users'))
      await page.getByLabel(signIn.field).waitFor()
      await follow(page)
      await heading(page, users.title).waitFor()
      expect(page.url()).toBe(`${site.url}${site.hashOf('users')}`)
    })

    test('signs in while the page loads', async () => {
      const page = await openFresh()
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/session', async (route) => {
        if (route.request().method() === 'GET') await held
        await route.continue()
      })
      await page.reload()
      await page.getByText(words.loading).waitFor()
      await follow(page)
      release()
      await heading(page, accounts.title).waitFor()
    })

    test("replaces an account's session, and starts at the first page", async () => {
      const { page } = await site.openAsAccount()
      await heading(page, english.overview.title).waitFor()
      await follow(page)
      await heading(page, accounts.title).waitFor()
      expect(page.url()).toBe(`${site.url}#/`)
    })

    test('keeps a signed-in operator on the current page', async () => {
      const page = await site.openAsOperator(site.hashOf('users'))
      await search(page).fill('user7@')
      await follow(page)
      await page.getByText(signIn.linkOpened).waitFor()
      expect(await search(page).inputValue()).toBe('user7@')
    })

    test('replaces an ended session, and the typed text is kept', async () => {
      const page = await site.openAsOperator(site.hashOf('users'))
      await page.getByRole('row').nth(3).waitFor()
      await page.context().clearCookies()
      await search(page).fill('user7@')
      await ended(page).waitFor()
      await follow(page, 'no-such-link')
      await ended(page).getByText(signIn.linkUsed).waitFor()
      await follow(page)
      await ended(page).waitFor({ state: 'detached' })
      expect(await search(page).inputValue()).toBe('user7@')
      await page.getByRole('row').filter({ hasText: 'user7@example.com' }).waitFor()
    })

    test('that was used is reported, and the session stays', async () => {
      const page = await site.openAsOperator(site.hashOf('users'))
      await heading(page, users.title).waitFor()
      await follow(page, 'no-such-link')
      const dialog = page.getByRole('dialog', { name: signIn.linkRefused })
      await dialog.getByText(signIn.linkUsed).waitFor()
      await dialog.getByRole('button', { name: words.close }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('row').nth(3).waitFor()
    })
  })

  test('a failed sign-in keeps the typed text', async () => {
    const { page, keyId } = await site.openAsAccount()
    await site.clientele.apiKeys.revoke(site.accountId, keyId)
    await page.reload()
    const field = page.getByLabel(signIn.field)
    await field.fill('cu_live_wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await field.inputValue()).toBe('cu_live_wrong')
    await follow(page, 'no-such-link')
    await page.getByText(signIn.linkUsed).waitFor()
    expect(await field.inputValue()).toBe('cu_live_wrong')
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a text that cannot be an account id is not requested', async () => {
    const page = await site.openAsOperator()
    const about: (string | undefined)[] = []
    page.on('request', (request) => about.push(request.headers()['clientele-account']))
    await page.goto(`${site.url}#/a/ü漢/users`)
    await heading(page, problems.noAccount).waitFor()
    expect(await page.getByText(problems.offlineTitle).count()).toBe(0)
    await page.getByRole('link', { name: problems.goHome }).click()
    await heading(page, accounts.title).waitFor()
    const uuid = /^[0-9a-f-]{36}$/
    expect(about.filter((id) => id !== undefined && !uuid.test(id))).toEqual([])
  })
})
