import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { createHand, handsTried } from '../browser/hands.ts'
import { openBrowser } from '../browser/open-browser.ts'
import {
  button,
  type ConsoleSite,
  heading,
  patience,
  row,
  startConsoleSite,
} from './browser-world.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const { words } = english

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsoleSite(browser, 100_000)
})
afterAll(async () => {
  await site.close()
})

describe.skipIf(browser === undefined).each(handsTried)('users and events, by %s', (handName) => {
  async function open(screen?: string) {
    const page = await site.openAsOperator(screen && site.hashOf(screen))
    return { page, hand: createHand(handName, page) }
  }

  /** Adds a unique user. */
  async function addUser() {
    const email = `${randomUUID()}@example.com`
    const given = { name: `Ada ${email.slice(0, 8)}`, email, password: 'analytical engine' }
    const { user } = await site.clientele.users.create(site.accountId, given)
    return user
  }

  test('sign in by a key, look at the figures of 100,000 users, and sign out', async () => {
    const { page } = await site.openAsAccount()
    const hand = createHand(handName, page)
    await heading(page, english.overview.title).waitFor()
    await page
      .getByText(/^100,\d{3}$/)
      .first()
      .waitFor()
    expect(await page.getByRole('link', { name: english.keys.title }).count()).toBe(0)
    await hand.press(button(page, english.overview.days('90')))
    await expect.poll(() => page.url(), patience).toContain('days=90')
    await hand.press(button(page, english.shell.signOut))
    await page.getByLabel(english.signIn.field).waitFor()
    await page.reload()
    await page.getByLabel(english.signIn.field).waitFor()
  })

  test('a link signs in once', async () => {
    const { page, hand } = await open()
    const { token } = await site.clientele.console.createLink()
    await page.context().clearCookies()
    await page.goto(`${site.url}?again#link=${token}`)
    await heading(page, english.accounts.title).waitFor()
    expect(page.url()).not.toContain('link=')
    await page.context().clearCookies()
    await page.goto(`${site.url}?once-more#link=${token}`)
    await page.getByText(english.signIn.linkUsed).waitFor()
    const another = await site.clientele.console.createLink()
    await hand.type(page.getByLabel(english.signIn.field), `${site.url}#link=${another.token}`)
    await hand.press(button(page, english.signIn.button))
    await heading(page, english.accounts.title).waitFor()
  })

  test('find one of 100,000 users, sort them, and turn the pages', async () => {
    const { page, hand } = await open('users')
    const { filters } = english.users
    await page.getByText(/^100,\d{3} users$/).waitFor()
    await hand.type(page.getByLabel(filters.search), 'user4711@')
    await row(page, 'user4711@example.com').waitFor()
    await page.getByText('1 user matches').waitFor()
    await hand.press(button(page, english.users.clear))
    await hand.choose(page.getByLabel(filters.sort), filters.byEmailDown)
    await row(page, 'user99999@example.com').waitFor()
    await hand.press(button(page, english.pager.next))
    await expect.poll(() => page.url(), patience).toContain('page=2')
    await page.getByText(/^26 to 50 of /).waitFor()
    await hand.type(page.getByLabel(english.pager.page, { exact: true }), '4000')
    await page.keyboard.press('Enter')
    await row(page, 'user100000@example.com').waitFor()
    await hand.choose(page.getByLabel(filters.state), english.users.inactive)
    await page.getByText(/^50,\d{3} users match$/).waitFor()
  })

  test('create a user: errors are shown beside the fields', async () => {
    const { page, hand } = await open('users')
    const email = `${randomUUID()}@example.com`
    await hand.press(button(page, english.users.create).first())
    const dialog = page.getByRole('dialog')
    await hand.type(dialog.getByLabel(english.users.name, { exact: true }), 'Grace Hopper')
    await hand.type(dialog.getByLabel(english.users.email), email)
    await hand.type(dialog.getByLabel(english.users.password), 'short')
    await hand.press(button(page, english.users.create).last())
    await dialog.getByRole('alert').waitFor()
    await hand.type(dialog.getByLabel(english.users.password), 'nanoseconds')
    await hand.press(button(page, english.users.create).last())
    await heading(page, 'Grace Hopper').waitFor()
    const { data } = await site.clientele.users.list(site.accountId, { email })
    expect(data).toMatchObject([{ name: 'Grace Hopper', isActive: true }])
  })

  test('invite a user, and mail it again until they have accepted', async () => {
    const { page, hand } = await open('users')
    const { clientele, accountId } = site
    const email = `${randomUUID()}@example.com`
    await hand.press(button(page, english.users.invite).first())
    const dialog = page.getByRole('dialog')
    await hand.type(dialog.getByLabel(english.users.name, { exact: true }), 'Mary Somerville')
    await hand.type(dialog.getByLabel(english.users.email), email)
    expect(await dialog.getByLabel(english.users.password).count()).toBe(0)
    await hand.press(button(page, english.users.invite).last())
    await heading(page, 'Mary Somerville').waitFor()
    const sent = () =>
      site.mails.filter(({ kind, user }) => kind === 'invitation' && user.email === email)
    await expect.poll(() => sent().length, patience).toBe(1)
    await hand.press(button(page, english.user.invite))
    await expect.poll(() => sent().length, patience).toBe(2)
    const [, latest] = sent()
    const token = latest !== undefined && 'token' in latest ? latest.token : ''
    await clientele.auth.acceptInvitation(accountId, { token, password: 'chosen by herself' })
    await page.reload()
    await page.getByText(english.user.verified, { exact: false }).first().waitFor()
    expect(await button(page, english.user.invite).count()).toBe(0)
  })

  test('a user who has a password is not invited, and the page says why', async () => {
    const { id, email } = await addUser()
    const { page, hand } = await open(`users/${id}`)
    await hand.press(button(page, english.user.invite))
    await page.getByText('The user has a password or has signed in').waitFor()
    expect(site.mails.filter(({ user }) => user.email === email)).toEqual([])
  })

  test('change a user whom another operator changes meanwhile', async () => {
    const { id } = await addUser()
    const { clientele, accountId } = site
    const { page, hand } = await open(`users/${id}`)
    await hand.press(button(page, words.edit))
    const dialog = page.getByRole('dialog')
    await hand.type(dialog.getByLabel(english.users.name, { exact: true }), 'My Ada')
    await clientele.users.patch(accountId, id, { name: 'Their Ada', roles: ['admin'] })
    await hand.press(button(page, words.save))
    await heading(page, english.user.conflict.title).waitFor()
    await dialog.getByText('Their Ada').waitFor()
    await hand.press(button(page, english.user.conflict.save))
    await heading(page, 'My Ada').waitFor()
    const { user } = await clientele.users.find(accountId, id)
    expect(user).toMatchObject({ name: 'My Ada', roles: ['admin'] })
  })

  test('deactivate a user, and delete one after typing the address', async () => {
    const { id, name, email } = await addUser()
    const { clientele, accountId } = site
    const { page, hand } = await open(`users/${id}`)
    await hand.press(button(page, english.user.deactivate))
    await page.getByText(english.user.deactivated).waitFor()
    expect((await clientele.users.find(accountId, id)).user.isActive).toBe(false)
    await hand.press(button(page, english.user.personal.delete))
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: english.user.personal.delete, exact: true })
    expect(await confirm.getAttribute('aria-disabled')).toBe('true')
    await hand.type(dialog.getByLabel(words.typeName(email)), email)
    await hand.press(confirm)
    await page.getByText(english.user.personal.deleted(name)).waitFor()
    expect((await clientele.users.list(accountId, { email })).data).toEqual([])
  })

  test('see events live, and only those that match the filters', async () => {
    const { page, hand } = await open('events')
    await page.getByText(english.events.live, { exact: true }).waitFor()
    const { name } = await addUser()
    const event = page.getByRole('listitem').filter({ hasText: name })
    await event.waitFor()
    await hand.press(event.locator('summary'))
    await page.getByText(english.events.copyJson).waitFor()
    await hand.choose(page.getByLabel(english.events.actor), english.events.actors.user)
    await event.waitFor({ state: 'detached' })
  })
})
