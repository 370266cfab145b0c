import { randomUUID } from 'node:crypto'
import {
  type AuthenticationResponse,
  dataOf,
  type PasskeyRequestOptions,
  type RegistrationResponse,
} from '@clientele/client'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { findBarriers } from '../browser/find-barriers.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { openPage } from '../browser/open-page.ts'
import { type PasskeySite, startPasskeySite } from '../browser/passkey-site.ts'
import { type AuthenticatorOptions, addAuthenticator } from '../browser/virtual-authenticator.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { runsEveryTest } from '../support/slow-tests.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()

const password = 'analytical engine'
const signInButton = 'Sign in with a passkey'

describe.skipIf(browser === undefined).each(anyDatabase)(
  'passkeys in a browser, on $name',
  (of) => {
    let database: OpenDatabase
    let site: PasskeySite
    beforeAll(async () => {
      database = await of.open()
      site = await startPasskeySite(database.url)
    })
    afterAll(async () => {
      await site.close()
      await database.close()
    })

    /** Opens the example's page, with an authenticator, for a user who has just signed up. */
    async function signUp(options: AuthenticatorOptions = {}, looks: BrowserContextOptions = {}) {
      if (browser === undefined) throw new Error('No browser.')
      const page = await openPage(browser, site.origin, looks)
      await page.getByLabel('E-mail').waitFor()
      expect(await findBarriers(page)).toEqual([])
      const authenticator = await addAuthenticator(page, options)
      const email = `${randomUUID()}@example.com`
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Create an account' }).click()
      await greeting(page)
      const user = dataOf(await site.client.listUsers({ email })).data[0]
      if (user === undefined) throw new Error('No user.')
      return { page, authenticator, email, userId: user.id }
    }

    const greeting = (page: Page) => page.getByRole('heading', { name: /^Hello, / }).waitFor()
    const alert = (page: Page) => page.getByRole('alert').textContent()

    async function enrol(page: Page, name: string, use = 'by itself') {
      await page.getByRole('heading', { name: 'Add a passkey' }).waitFor()
      await page.getByLabel('Name', { exact: true }).fill(name)
      await page.getByLabel(use).check()
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByRole('listitem').filter({ hasText: name }).waitFor()
    }

    async function signOut(page: Page) {
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: signInButton }).waitFor()
    }

    test('are enrolled, sign in with an e-mail and without, are renamed and removed', async () => {
      const { page, authenticator, email, userId } = await signUp()
      await enrol(page, 'My laptop')
      expect(await authenticator.credentials()).toMatchObject([
        { rpId: 'localhost', isResidentCredential: true, userName: email },
      ])
      for (const typed of ['', email]) {
        await signOut(page)
        await page.getByLabel('E-mail').fill(typed)
        await page.getByRole('button', { name: signInButton }).click()
        await greeting(page)
        expect(await page.getByText(email).isVisible()).toBe(true)
      }
      await page.getByRole('button', { name: 'Rename My laptop' }).click()
      await page.getByLabel('New name').fill('The old laptop')
      await page.keyboard.press('Enter')
      await page.getByRole('listitem').filter({ hasText: 'The old laptop' }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'Remove The old laptop' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      const [passkey] = dataOf(await site.client.listPasskeys(userId)).data
      expect(passkey).toMatchObject({ name: 'The old laptop', backed_up: false })
      await page.getByRole('button', { name: 'Remove The old laptop' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByText('You have none yet.').waitFor()
      await signOut(page)
      await page.getByRole('button', { name: signInButton }).click()
      expect(await alert(page)).toMatch(/^The passkey is not known/)
    })

    test('stand beside the password as a second factor, on a key that knows no PIN', async () => {
      const { page, email, userId } = await signUp({
        ...{ hasResidentKey: false, hasUserVerification: false, transport: 'usb' },
      })
      await enrol(page, 'Key ring', 'after the password')
      await signOut(page)
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Use the security key' }).click()
      await greeting(page)
      const [passkey] = dataOf(await site.client.listPasskeys(userId)).data
      expect(passkey).toMatchObject({ use: 'second_factor', last_used_at: expect.any(String) })
    })

    test('are used on a page with a strict content security policy', async () => {
      const { headers } = await fetch(site.origin)
      const policy = headers.get('content-security-policy')?.split('; ')
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "frame-ancestors 'none'",
        ]),
      )
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
    })

    test.runIf(runsEveryTest)('that are enrolled already are not enrolled again', async () => {
      const { page, authenticator } = await signUp()
      await enrol(page, 'My laptop')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      expect(await alert(page)).toBe('This device has a passkey of yours already.')
      expect(await authenticator.credentials()).toHaveLength(1)
    })

    test.runIf(runsEveryTest)('do not sign in without user verification', async () => {
      const { page, authenticator } = await signUp()
      await enrol(page, 'My laptop')
      await signOut(page)
      await authenticator.setUserVerified(false)
      await page.getByRole('button', { name: signInButton }).click()
      expect(await alert(page)).toMatch(/^No passkey was used/)
      await authenticator.setUserVerified(true)
      await page.getByRole('button', { name: signInButton }).click()
      await greeting(page)
    })

    test('are accessible: by keyboard alone, in the dark, on a phone', async () => {
      const viewport = { width: 390, height: 844 }
      const { page } = await signUp({}, { colorScheme: 'dark', viewport })
      await page.getByLabel('Name', { exact: true }).focus()
      for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
      await page.getByText('My device is added.').waitFor()
      expect(await findBarriers(page)).toEqual([])
      await page.getByRole('button', { name: 'Rename My device' }).press('Enter')
      expect(await findBarriers(page)).toEqual([])
      await page.keyboard.press('Escape')
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width).toBe(viewport.width)
      await page.getByRole('button', { name: 'Sign out' }).press('Enter')
      await page.getByLabel('E-mail').waitFor()
      await page.getByLabel('E-mail').focus()
      // Enter is the form's first button.
      await page.keyboard.press('Enter')
      await greeting(page)
    })

    test("appear in the console's live view when they are enrolled and used", async () => {
      if (browser === undefined) return
      const console = await openPage(browser, site.consoleUrl)
      await console.getByRole('link', { name: 'demo' }).click()
      await console.getByRole('link', { name: english.events.title }).click()
      await console.getByText(english.events.live, { exact: true }).waitFor()
      const { page, email } = await signUp()
      await enrol(page, 'My laptop')
      await signOut(page)
      await page.getByRole('button', { name: signInButton }).click()
      await greeting(page)
      const name = email.split('@')[0] ?? ''
      const events = console.getByRole('listitem').filter({ hasText: name })
      await events.filter({ hasText: 'passkey.enrolled' }).waitFor()
      const types = () => events.locator('code').allTextContents()
      await expect
        .poll(types, { timeout: 20_000 })
        .toEqual([
          'user.logged_in',
          'user.logged_out',
          'passkey.enrolled',
          'user.logged_in',
          'user.created',
        ])
    })

    // From here on the page is an attacker's, and its versions of the browser's responses go to Clientele directly.

    const use = (page: Page, options: PasskeyRequestOptions): Promise<AuthenticationResponse> =>
      page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})
      return (await navigator.credentials.get({ publicKey })).toJSON()
    })()`)
    const make = (page: Page, options: object): Promise<RegistrationResponse> =>
      page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)})
      return (await navigator.credentials.create({ publicKey })).toJSON()
    })()`)

    async function logIn(page: Page, email?: string) {
      const { challenge, options } = dataOf(await site.client.beginPasskeyLogIn({ email }))
      return { challenge, response: await use(page, options) }
    }
    const outcomeOf = async (input: { challenge: string; response: AuthenticationResponse }) => {
      const { data, problem } = await site.client.logInWithPasskey(input)
      return data === undefined ? problem.code : data.user.id
    }
    const amrOf = (token: string): unknown =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).amr

    test.runIf(runsEveryTest)('answer one challenge, once', async () => {
      const { page, userId } = await signUp()
      await enrol(page, 'My laptop')
      const answer = await logIn(page)
      const other = dataOf(await site.client.beginPasskeyLogIn({}))
      expect(await outcomeOf({ ...answer, challenge: other.challenge })).toBe('passkey_invalid')
      expect(await outcomeOf(answer)).toBe(userId)
      expect(await outcomeOf(answer)).toBe('challenge_invalid')
    })

    test('are refused from another origin, and at another host the browser refuses them', async () => {
      const { page, authenticator, userId } = await signUp()
      await enrol(page, 'My laptop')
      await page.goto(site.otherOrigin)
      expect(await outcomeOf(await logIn(page))).toBe('passkey_invalid')
      const begun = dataOf(await site.client.beginPasskey(userId, {}))
      await authenticator.clear()
      const made = { challenge: begun.challenge, response: await make(page, begun.options) }
      const enrolled = await site.client.enrolPasskey(userId, made)
      expect(enrolled.problem?.code).toBe('passkey_invalid')
      await page.goto(site.origin.replace('localhost', '127.0.0.1'))
      await expect(logIn(page)).rejects.toThrow(/SecurityError|relying party ID/i)
    })

    test.runIf(runsEveryTest)('of another user do not sign in', async () => {
      const mine = await signUp()
      const theirs = await signUp()
      await enrol(mine.page, 'My laptop')
      await enrol(theirs.page, 'Their laptop')
      const asked = dataOf(await site.client.beginPasskeyLogIn({ email: mine.email }))
      const { allowCredentials: _, ...options } = asked.options
      const response = await use(theirs.page, options)
      expect(await outcomeOf({ challenge: asked.challenge, response })).toBe('passkey_invalid')
      const begun = dataOf(await site.client.beginPasskey(mine.userId, {}))
      const forThem = {
        challenge: begun.challenge,
        response: await make(theirs.page, begun.options),
      }
      const enrolled = await site.client.enrolPasskey(theirs.userId, forThem)
      expect(enrolled.problem?.code).toBe('challenge_invalid')
    })

    test.runIf(runsEveryTest)('without a finger, a face or a PIN are no first factor', async () => {
      const { page, userId } = await signUp({ hasUserVerification: false })
      const begun = dataOf(await site.client.beginPasskey(userId, {}))
      const lax = { ...begun.options.authenticatorSelection, userVerification: 'discouraged' }
      const options = { ...begun.options, authenticatorSelection: lax }
      const made = { challenge: begun.challenge, response: await make(page, options) }
      const enrolled = await site.client.enrolPasskey(userId, made)
      expect(enrolled.problem?.code).toBe('passkey_invalid')
    })

    test.runIf(runsEveryTest)(
      'that are synced may have a counter of 0; others may not',
      async () => {
        for (const isSynced of [true, false]) {
          const { page, authenticator, userId } = await signUp({ isSynced })
          await enrol(page, 'My phone')
          const { data } = await site.client.logInWithPasskey(await logIn(page))
          expect(amrOf(data?.data.token ?? '')).toEqual([isSynced ? 'swk' : 'hwk', 'user'])
          const [passkey] = dataOf(await site.client.listPasskeys(userId)).data
          expect(passkey?.backed_up).toBe(isSynced)
          const [credential] = await authenticator.credentials()
          if (credential === undefined) throw new Error('No passkey.')
          for (const signCount of [0, 0]) {
            await authenticator.clear()
            await authenticator.add({ ...credential, signCount })
            expect(await outcomeOf(await logIn(page))).toBe(isSynced ? userId : 'passkey_invalid')
          }
        }
      },
    )
  },
)
