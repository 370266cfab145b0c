import { readFile } from 'node:fs/promises'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { site as passkeySite, SoftwareAuthenticator } from '../passkeys/software-authenticator.ts'
import { button, type ConsoleSite, heading, patience, startConsoleSite } from './browser-world.ts'

// A page takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const browser = await openBrowser()
const t = english.user
const email = 'ada@example.com'
const password = 'analytical engine'

let site: ConsoleSite
let userId: string
beforeAll(async () => {
  site = await startConsoleSite(browser, 1)
  const given = { name: 'Ada Lovelace', email, password }
  userId = (await site.clientele.users.create(site.accountId, given)).user.id
})
afterAll(async () => {
  await site.close()
})

async function open(): Promise<Page> {
  const page = await site.openAsOperator(site.hashOf(`users/${userId}`))
  await heading(page, 'Ada Lovelace').waitFor()
  return page
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Enrols an authenticator app and a passkey, links an identity, and signs in six times, on three devices. */
async function equip(): Promise<void> {
  const { clientele, accountId } = site
  const identity = { issuer: 'https://accounts.example.com', subject: '4711' }
  await clientele.identities.link(accountId, userId, identity)
  for (const _ of [1, 2, 3]) await clientele.auth.logIn(accountId, { email, password })
  const { secret } = await clientele.mfa.enrolTotp(accountId, userId)
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const recoveryCodes = await clientele.mfa.confirmTotp(accountId, userId, { code })
  await clientele.accounts.setPolicy(accountId, { rememberDeviceDays: 30 })
  for (const [index, deviceName] of ['Laptop', 'Phone', undefined].entries()) {
    const asked = await clientele.auth.logIn(accountId, { email, password })
    if (!('challenge' in asked)) throw new Error('No second factor was asked for.')
    await clientele.auth.completeMfa(accountId, {
      ...{ challenge: asked.challenge, method: 'recovery_code' as const },
      ...{ code: recoveryCodes[index] ?? '', rememberDevice: true },
      ...(deviceName && { deviceName }),
    })
  }
  await clientele.accounts.setPasskeys(accountId, passkeySite)
  const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, userId)
  const response = new SoftwareAuthenticator().create(options)
  await clientele.passkeys.enrol(accountId, userId, { challenge, response, name: 'Old key' })
}

describe.skipIf(browser === undefined)('one user', () => {
  beforeAll(equip)

  test('one session is ended, then all of them', async () => {
    const page = await open()
    const sessions = card(page, t.sessions.title)
    await sessions.getByRole('button', { name: t.sessions.end, exact: true }).first().click()
    await page.getByText(t.sessions.ended, { exact: true }).waitFor()
    await expect.poll(() => sessions.getByRole('listitem').count(), patience).toBe(5)
    await button(page, t.sessions.endAll).click()
    await page.getByRole('dialog').getByRole('button', { name: t.sessions.endAll }).click()
    await sessions.getByText(t.sessions.none).waitFor()
  })

  test('an operator acts as the user, and the session names the operator', async () => {
    const page = await open()
    await button(page, t.impersonate).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t.impersonateActor).fill('support@example.com')
    await dialog.getByLabel(t.impersonateReason).fill('Ticket 4711')
    await dialog.getByRole('button', { name: t.impersonate }).click()
    const token = await dialog.getByText(/^eyJ/).textContent()
    const { claims } = await site.clientele.auth.validateToken(site.accountId, token ?? '')
    expect(claims).toMatchObject({ act: { sub: 'support@example.com' } })
    await button(page, english.words.kept).click()
    const sessions = card(page, t.sessions.title)
    await sessions.getByText(t.sessions.impersonatedBy('support@example.com')).waitFor()
    await sessions.getByRole('button', { name: t.sessions.end, exact: true }).click()
    await sessions.getByText(t.sessions.none).waitFor()
  })

  test('a token for a program is made, shown once, renamed and revoked', async () => {
    const page = await open()
    const tokens = card(page, t.tokens.title)
    const dialog = page.getByRole('dialog')
    await tokens.getByRole('button', { name: t.tokens.create }).click()
    await dialog.getByLabel(english.keys.name).fill('Script')
    await dialog.getByLabel(t.tokens.scopes).fill('deploy read')
    await dialog.getByRole('button', { name: t.tokens.create }).click()
    const token = (await dialog.getByText(/^cut_live_\w{71}$/).textContent()) ?? ''
    await button(page, english.words.kept).click()
    await tokens.getByText('deploy', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(token)
    const { clientele, accountId } = site
    const { userToken } = await clientele.auth.validateToken(accountId, token)
    expect(userToken).toMatchObject({ name: 'Script', scopes: ['deploy', 'read'] })
    await button(page, t.passkeys.rename('Script')).click()
    await dialog.getByLabel(english.keys.name).fill('CI')
    await dialog.getByRole('button', { name: english.words.save, exact: true }).click()
    await button(page, english.keys.revokeTitle('CI')).click()
    await dialog.getByRole('button', { name: english.keys.revoke, exact: true }).click()
    await tokens.getByText(t.tokens.none).waitFor()
    expect(await clientele.userTokens.list(accountId, userId)).toEqual([])
  })

  test('a passkey is renamed and removed', async () => {
    const page = await open()
    const passkeys = card(page, t.passkeys.title)
    await button(page, t.passkeys.rename('Old key')).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(english.users.name).fill('Blue key')
    await dialog.getByRole('button', { name: english.words.save, exact: true }).click()
    await button(page, english.words.remove('Blue key')).click()
    await dialog.getByRole('button', { name: t.passkeys.remove }).click()
    await passkeys.getByText(t.passkeys.none).waitFor()
    expect(await site.clientele.passkeys.list(site.accountId, userId)).toEqual([])
  })

  test('one device is forgotten, then all of them', async () => {
    const page = await open()
    const devices = card(page, t.devices.title)
    await devices.getByText(t.devices.unnamed).waitFor()
    const laptop = devices.getByRole('listitem').filter({ hasText: 'Laptop' })
    await laptop.getByRole('button', { name: t.devices.forget, exact: true }).click()
    await page.getByText(t.devices.forgot, { exact: true }).waitFor()
    await expect.poll(() => devices.getByRole('listitem').count(), patience).toBe(2)
    await button(page, t.devices.forgetAll).click()
    await page.getByRole('dialog').getByRole('button', { name: t.devices.forgetAll }).click()
    await devices.getByText(t.devices.none).waitFor()
    expect(await site.clientele.devices.list(site.accountId, userId)).toEqual([])
  })

  test('second factors are removed, an identity is unlinked', async () => {
    const page = await open()
    const dialog = page.getByRole('dialog')
    await button(page, t.factors.remove).click()
    await dialog.getByRole('button', { name: t.factors.remove }).click()
    await card(page, t.factors.title).getByText(t.factors.none).waitFor()
    await button(page, t.identities.unlink).click()
    await dialog.getByRole('button', { name: t.identities.unlink }).click()
    await card(page, t.identities.title).getByText(t.identities.none).waitFor()
    const timeline = card(page, t.timeline.title)
    await timeline.getByText(t.timeline.types['identity.unlinked']).waitFor()
    await timeline.getByText(t.timeline.types['two_factor.removed']).waitFor()
  })

  test('all stored data about a person is downloaded', async () => {
    const page = await open()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      button(page, t.personal.export).click(),
    ])
    const saved = JSON.parse(await readFile(await file.path(), 'utf8'))
    expect(saved.user).toMatchObject({ id: userId, email })
    expect(saved.events.length).toBeGreaterThan(5)
  })

  test('a person is erased after the address is typed, and the receipt is saved', async () => {
    const page = await open()
    await button(page, t.personal.erase).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(english.words.typeName(email)).fill(email)
    await dialog.getByRole('button', { name: t.personal.erase, exact: true }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      button(page, t.receipt.save).click(),
    ])
    const receipt = JSON.parse(await readFile(await file.path(), 'utf8'))
    expect(receipt).toMatchObject({ id: userId, receipt: expect.stringContaining('.') })
    await dialog.getByRole('button', { name: english.words.close }).last().click()
    await heading(page, english.users.title).waitFor()
    const { data } = await site.clientele.users.list(site.accountId, { email })
    expect(data).toEqual([])
  })
})
