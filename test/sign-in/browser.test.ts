import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findBarriers } from '../browser/find-barriers.ts'
import { createHand, type Hand, handsTried } from '../browser/hands.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { openPage } from '../browser/open-page.ts'
import { addAuthenticator } from '../browser/virtual-authenticator.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { addApp, type ExampleSite, startExampleSite } from './example-site.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }
const looks: Record<string, BrowserContextOptions> = {
  keyboard: { colorScheme: 'light' },
  pointer: { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
}

describe.skipIf(browser === undefined).each(handsTried)('the example, by %s', (handName) => {
  async function open(path: (site: ExampleSite) => Promise<string>) {
    if (browser === undefined) throw new Error('No browser.')
    const site = await startExampleSite()
    onTestFinished(site.close)
    const page = await openPage(browser, await path(site), looks[handName])
    return { site, page, hand: createHand(handName, page) }
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

  const searched = new Set<string>()

  /** Each page is searched for barriers once. */
  async function see(page: Page, title: string): Promise<void> {
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    if (!searched.has(title)) expect(await findBarriers(page)).toEqual([])
    searched.add(title)
  }

  async function fill(page: Page, hand: Hand, fields: Record<string, string>, done: string) {
    for (const [label, text] of Object.entries(fields))
      await hand.type(page.getByLabel(label, { exact: true }), text)
    await hand.press(button(page, done))
  }

  async function join({ site, page, hand }: Awaited<ReturnType<typeof open>>) {
    await see(page, 'Welcome to Acme')
    await fill(page, hand, { 'Choose a password': ada.password }, 'Join')
    await hand.press(link(page, 'Sign in'))
    return site
  }

  const signIn = (page: Page, hand: Hand, password = ada.password) =>
    fill(page, hand, { 'E-mail': ada.email, Password: password }, 'Sign in')

  /** Adds an authenticator app where the site asks for it on the way in. */
  async function enrol(page: Page, hand: Hand, next = `Hello, ${ada.name}`) {
    await see(page, 'Add your authenticator app')
    const app = await addApp(page)
    await fill(page, hand, { Code: app.nextCode() }, 'Continue')
    await see(page, 'Keep your recovery codes')
    const recoveryCodes = await page.locator('.codes code').allTextContents()
    await hand.press(link(page, 'I have kept them'))
    await see(page, next)
    return { app, recoveryCodes }
  }

  const invitation = async (site: ExampleSite) => (await site.nextMail()).link

  test('takes an invited person in with a second factor, remembers the device, and asks again before a dangerous button', async () => {
    const opened = await open(invitation)
    const { page, hand } = opened
    await join(opened)
    await see(page, 'Sign in')
    await signIn(page, hand, 'wrong')
    const problem = page.getByRole('alert')
    expect(await problem.textContent()).toContain('The e-mail address or the password is wrong.')
    expect(await problem.and(page.locator(':focus')).count()).toBe(1)
    await see(page, 'Sign in')
    await signIn(page, hand)
    const { app, recoveryCodes } = await enrol(page, hand)
    expect(recoveryCodes).toHaveLength(10)

    await hand.press(button(page, 'Sign out'))
    await signIn(page, hand)
    await see(page, 'Your second factor')
    await hand.tick(page.getByLabel('Do not ask again on this device'))
    await fill(page, hand, { Code: recoveryCodes[0] ?? '' }, 'Continue')
    await see(page, `Hello, ${ada.name}`)
    await hand.press(button(page, 'Sign out'))
    await signIn(page, hand)
    await see(page, `Hello, ${ada.name}`)

    // On the remembered device only the password was shown: the button needs the second factor.
    await hand.press(link(page, 'Delete my data'))
    await see(page, 'Is it you?')
    expect(await page.getByLabel('Password').count()).toBe(0)
    await fill(page, hand, { Code: app.nextCode() }, 'Confirm by the code')
    await see(page, 'Delete my data')
    await hand.press(button(page, 'Delete everything'))
    await see(page, 'Good-bye')
  })

  test('takes a mailed code with the second factor, and a passkey alone', async () => {
    const opened = await open(invitation)
    const { page, hand } = opened
    const authenticator = await addAuthenticator(page)
    const site = await join(opened)
    await hand.press(link(page, 'Get a code by e-mail'))
    await fill(page, hand, { 'E-mail': ada.email }, 'Send the code')
    await see(page, 'Type the code')
    const { code } = await site.nextMail()
    await fill(page, hand, { Code: code }, 'Sign in')
    const { recoveryCodes } = await enrol(page, hand)

    await hand.press(link(page, 'Add a passkey'))
    await see(page, 'Add a passkey')
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    await hand.press(button(page, 'Add it'))
    await page.getByText('You are signed out. Please sign in again.').waitFor()
    await page.context().addCookies(cookies)
    await hand.press(button(page, 'Add it'))
    await page.getByText('The passkey is added.').waitFor()
    expect(await authenticator.credentials()).toHaveLength(1)
    await hand.press(button(page, 'Sign out'))
    await hand.press(button(page, 'Sign in with a passkey'))
    await see(page, `Hello, ${ada.name}`)
    await hand.press(button(page, 'Sign out'))

    await hand.press(link(page, 'Get a code by e-mail'))
    await fill(page, hand, { 'E-mail': ada.email }, 'Send the code')
    await see(page, 'Type the code')
    await page.goto((await site.nextMail()).link)
    await hand.press(button(page, 'Sign in'))
    await see(page, 'Your second factor')
    await fill(page, hand, { Code: recoveryCodes[0] ?? '' }, 'Continue')
    await see(page, `Hello, ${ada.name}`)
  })
  test.runIf(runsEveryTest)(
    'changes the address by the new mailbox, and back by the old one',
    async () => {
      const opened = await open(invitation)
      const { page, hand } = opened
      const site = await join(opened)
      await signIn(page, hand)
      await enrol(page, hand)
      await hand.press(link(page, 'Change'))
      await see(page, 'Change your address')
      await fill(page, hand, { 'New e-mail': 'ada@new.example' }, 'Change')
      await page.getByText('Look into your new mailbox').waitFor()
      const mails = [await site.nextMail(), await site.nextMail()]
      const linkTo = (address: string) => mails.find(({ to }) => to === address)?.link ?? ''

      await page.goto(linkTo('ada@new.example'))
      await see(page, 'Is this your address?')
      await hand.press(button(page, 'Confirm the new address'))
      await hand.press(link(page, 'Continue'))
      await page.getByText('ada@new.example').waitFor()

      await page.goto(linkTo(ada.email))
      await see(page, 'Keep your old address?')
      await hand.press(button(page, 'Keep the old address'))
      await see(page, 'You have your old address')
      await fill(page, hand, { 'E-mail': ada.email }, 'Send a link')
      await see(page, 'Look into your mailbox')
      await page.goto((await site.nextMail()).link)
      await see(page, 'Choose a new password')
      await fill(page, hand, { 'New password': 'difference engine' }, 'Save')
      await hand.press(link(page, 'Sign in'))
      await signIn(page, hand, 'difference engine')
      await enrol(page, hand)
    },
  )
})
