import { readFile } from 'node:fs/promises'
import type { SetPolicy } from '@clientele/core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../packages/console/src/page/english.ts'
import { createHand, handsTried } from '../browser/hands.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { receive } from '../webhooks/webhook-world.ts'
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
  site = await startConsoleSite(browser, 100)
})
afterAll(async () => {
  await site.close()
})

describe.skipIf(browser === undefined).each(handsTried)(
  'operators manage an account, by %s',
  (handName) => {
    async function open(screen?: string) {
      const page = await site.openAsOperator(screen && site.hashOf(screen))
      return { page, hand: createHand(handName, page), dialog: page.getByRole('dialog') }
    }

    test('create, rotate and revoke an API key', async () => {
      const { page, hand, dialog } = await open('keys')
      const name = `Backend ${handName}`
      await hand.press(button(page, english.keys.create).first())
      await hand.type(dialog.getByLabel(english.keys.name, { exact: true }), name)
      await hand.tick(dialog.getByLabel('events:read'))
      await hand.press(button(page, english.keys.create).last())
      const secret = await dialog.getByText(/^cu_live_\w{71}$/).textContent()
      await hand.press(button(page, words.kept))
      expect(await page.content()).not.toContain(secret)
      await hand.press(button(page, english.keys.rotateTitle(name)))
      await hand.choose(dialog.getByLabel(english.keys.overlap), english.keys.overlaps.none)
      await hand.press(button(page, english.keys.rotate))
      await dialog.getByText(/^cu_live_/).waitFor()
      await hand.press(button(page, words.kept))
      await hand.press(button(page, english.keys.revokeTitle(name)).first())
      await hand.type(dialog.getByLabel(words.typeName(name)), name)
      await hand.press(button(page, english.keys.revoke))
      await page.getByText(english.keys.revoked(name)).waitFor()
      const all = await site.clientele.apiKeys.list(site.accountId)
      const ends = all
        .filter((key) => key.name === name)
        .map((key) => key.revokedAt ?? key.expiresAt)
      expect(ends).toEqual([expect.any(Date), expect.any(Date)])
    })

    test('create an account, give it other names, and delete it', async () => {
      const { page, hand, dialog } = await open()
      const name = `Globex ${handName}`
      const taken = 'acme'
      await site.clientele.accounts.update(site.accountId, { slug: taken })
      await hand.press(button(page, english.accounts.create).first())
      const slug = `globex-${handName}`
      await hand.type(dialog.getByLabel(english.accounts.name), 'Globbex')
      await hand.type(dialog.getByLabel(english.accounts.slug), taken)
      await hand.press(button(page, english.accounts.create).last())
      await dialog.getByText('Another account has this slug.').first().waitFor()
      await hand.type(dialog.getByLabel(english.accounts.slug), slug)
      await hand.press(button(page, english.accounts.create).last())
      await dialog.getByText(/^cu_live_/).waitFor()
      await hand.press(button(page, words.kept))
      await row(page, slug).waitFor()
      await hand.press(button(page, english.accounts.edit('Globbex')))
      await hand.type(dialog.getByLabel(english.accounts.name), name)
      await hand.type(dialog.getByLabel(english.accounts.externalId), `customer ${handName}`)
      await hand.press(button(page, words.save))
      await row(page, name).waitFor()
      expect(await site.clientele.accounts.find({ slug })).toMatchObject({
        name,
        externalId: `customer ${handName}`,
      })
      await hand.press(button(page, english.accounts.disable(name)))
      await hand.press(button(page, english.accounts.disableVerb))
      await row(page, english.accounts.disabled).waitFor()
      await hand.press(button(page, english.accounts.delete(name)))
      await hand.type(dialog.getByLabel(words.typeName(name)), name)
      await hand.press(button(page, words.delete))
      await row(page, name).waitFor({ state: 'detached' })
      const accounts = await site.clientele.accounts.list()
      expect(accounts.map((account) => account.name)).toEqual(['Acme'])
    })

    test('add an endpoint, send it a test, and send the last events again', async () => {
      const receiver = await receive()
      const given = { name: 'Ada', email: `${handName}@example.com`, password: 'analytical engine' }
      const { user } = await site.clientele.users.create(site.accountId, given)
      const { page, hand, dialog } = await open('webhooks')
      const t = english.webhooks
      await hand.press(button(page, t.create).first())
      await hand.type(dialog.getByLabel(t.form.url), receiver.url)
      await hand.press(button(page, t.create).last())
      await dialog.getByText(/^whsec_/).waitFor()
      await hand.press(button(page, words.kept))
      await heading(page, receiver.url).waitFor()
      await hand.press(button(page, t.test))
      await page.getByText(t.status(204, true)).first().waitFor()
      // The endpoint is told that it was created, too: that may be the delivery that the page shows.
      await expect.poll(() => receiver.ofType('webhook.test'), patience).toHaveLength(1)
      await hand.press(button(page, t.replay))
      await hand.press(button(page, t.replays.verb).last())
      await page.getByText(t.replays.sent).waitFor()
      await expect
        .poll(() => receiver.received.map(({ subjectId }) => subjectId), patience)
        .toContain(user.id)
      await hand.press(button(page, words.delete))
      await hand.type(dialog.getByLabel(words.typeName(receiver.url)), receiver.url)
      await hand.press(button(page, words.delete).last())
      await page.getByText(t.deleted).waitFor()
      expect(await site.clientele.webhooks.list(site.accountId)).toEqual([])
    })

    test('trust another issuer, and delete it', async () => {
      const issuer = `https://${handName}.example.com`
      const { page, hand, dialog } = await open('issuers')
      const t = english.issuers
      await hand.press(button(page, t.create).first())
      await hand.type(dialog.getByLabel(t.issuer, { exact: true }), issuer)
      await hand.type(dialog.getByLabel(t.audience), 'https://api.example.com')
      await page.keyboard.press('Enter')
      await hand.choose(dialog.getByLabel(t.keys, { exact: true }), t.sources.shared_secret)
      await hand.type(
        dialog.getByLabel(t.sharedSecret),
        'a secret that both sides know, 32 bytes long',
      )
      for (const name of ['ES256', 'RS256', 'EdDSA']) {
        const box = dialog.getByLabel(name, { exact: true })
        if (await box.isChecked()) await box.press('Space')
      }
      await hand.tick(dialog.getByLabel('HS256'))
      await hand.press(button(page, t.create).last())
      await row(page, issuer).waitFor()
      await hand.press(button(page, t.delete(issuer)))
      await hand.type(dialog.getByLabel(words.typeName(issuer)), issuer)
      await hand.press(button(page, words.delete))
      await page.getByText(t.deleted).waitFor()
      expect(await site.clientele.trustedIssuers.list(site.accountId)).toEqual([])
    })

    test('publish a signing key, and remove one', async () => {
      const { page, hand, dialog } = await open('signing-keys')
      const t = english.signingKeys
      const act = (name: string) => dialog.getByRole('button', { name, exact: true })
      await hand.press(button(page, t.rotateNow))
      await hand.press(act(t.acts.rotateNow.verb))
      await page.getByText(t.done.rotateNow).waitFor()
      const keys = () => site.clientele.signingKeys.list(site.accountId)
      const before = (await keys()).length
      await hand.press(button(page, t.remove).last())
      await hand.press(act(t.acts.remove.verb))
      await page.getByText(t.done.remove).waitFor()
      expect(await keys()).toHaveLength(before - 1)
    })

    test('set the site for passkeys', async () => {
      const { page, hand } = await open('settings')
      const t = english.settings
      const origin = `https://${handName}.example.com`
      await hand.type(page.getByLabel(t.rpId), 'example.com')
      await hand.type(page.getByLabel(t.rpName), 'Acme')
      await hand.type(page.getByLabel(t.origins), origin)
      await hand.press(button(page, words.save))
      await page.getByText(words.saved).waitFor()
      const { passkeys } = await site.clientele.accounts.find(site.accountId)
      expect(passkeys?.origins).toContain(origin)
    })

    test('change the sign-in policy, after a value that the service refuses', async () => {
      const t = english.policy
      const { accounts } = site.clientele
      const { policy: usual } = await accounts.find(site.accountId)
      const passwordRequired = false
      await accounts.setPolicy(site.accountId, { signIn: ['passkey'], passwordRequired })
      const { page, hand } = await open('policy')
      const ttl = t.numbers.session_ttl_seconds.label
      await hand.tick(page.getByLabel(t.methodNames.id_token))
      await hand.tick(page.getByLabel(t.secondFactor))
      await hand.tick(page.getByLabel(t.verifiedEmail))
      await hand.type(page.getByLabel(t.numbers.min_password_length.label), '12')
      await hand.type(page.getByLabel(ttl), '99999999')
      await hand.press(button(page, words.save))
      await page
        .getByText(/must be at most 2592000/)
        .first()
        .waitFor()
      await hand.type(page.getByLabel(ttl), '3600')
      await hand.press(button(page, words.save))
      await page.getByText(words.saved).waitFor()
      const { policy } = await accounts.find(site.accountId)
      expect(policy).toMatchObject({
        signIn: ['passkey', 'id_token'],
        passwordRequired,
        secondFactor: 'required',
        verifiedEmail: 'required',
        minPasswordLength: 12,
        sessionTtlSeconds: 3600,
        sessionMaxSeconds: null,
      })
      await accounts.setPolicy(site.accountId, usual)
    })

    test('import users from a file with an invalid line, and export all users', async () => {
      const { page, hand } = await open('transfer')
      const t = english.transfer
      const lines = Array.from({ length: 1_200 }, (_, index) =>
        JSON.stringify({ name: 'Imported', email: `${handName}-${index}@example.org` }),
      )
      lines[700] = '{"name":"Imported","email":"nobody"}'
      const file = { name: 'users.ndjson', mimeType: 'application/x-ndjson' }
      const buffer = Buffer.from(lines.join('\n'))
      await page.getByLabel(t.file).setInputFiles({ ...file, buffer })
      await hand.choose(page.getByLabel(t.onError), t.choices.skip)
      await hand.press(button(page, t.dryRun))
      await page.getByText(t.triedBad).waitFor()
      const { total: before } = await site.clientele.users.list(site.accountId)
      await hand.press(button(page, t.importVerb))
      await page.getByText(t.doneBad).waitFor()
      await row(page, '701').waitFor()
      const { total } = await site.clientele.users.list(site.accountId)
      expect(total).toBe(before + lines.length - 1)
      const saved = page.waitForEvent('download')
      await hand.press(button(page, t.exportVerb))
      const exported = await readFile(await (await saved).path(), 'utf8')
      expect(exported.trimEnd().split('\n')).toHaveLength(total)
    })

    test('find an operation of the API, and try it', async () => {
      const { page, hand } = await open('reference')
      const t = english.reference
      await hand.type(page.getByLabel(t.search), 'GET counts list users')
      await page.getByText(t.noneFound).waitFor()
      await hand.press(button(page, t.clear))
      await hand.type(page.getByLabel(t.search), 'List users')
      // The list grows short by then, and stays where it is.
      await expect.poll(() => page.url(), patience).toContain('q=List')
      const link = page.getByRole('link', { name: /^GET \/client\/user List users/ })
      await hand.press(link)
      await hand.type(page.getByLabel(t.optional('limit')), '1')
      await page.getByText('limit=1').waitFor()
      await hand.press(button(page, t.send))
      const answer = page.getByRole('status').filter({ hasText: '200' })
      await answer.getByText(/"limit": ?1\b/).waitFor()
    })
  },
)

describe.skipIf(browser === undefined)('an open form keeps what another operator has set', () => {
  const url = 'http://127.0.0.1:9/old'

  async function save(page: Page): Promise<void> {
    await button(page, words.save).click()
    await page.getByText(words.saved).waitFor()
  }

  test('of the policy, also with a second change', async () => {
    const { accounts } = site.clientele
    const { policy: usual } = await accounts.find(site.accountId)
    const page = await site.openAsOperator(site.hashOf('policy'))
    const { session_ttl_seconds: ttl, session_max_seconds: max } = english.policy.numbers
    await page.getByLabel(ttl.label).waitFor()
    const theirs: SetPolicy = { secondFactor: 'required', minPasswordLength: 20 }
    await accounts.setPolicy(site.accountId, theirs)
    await page.getByLabel(ttl.label).fill('3600')
    await save(page)
    await page.getByLabel(max.label).fill('7200')
    await button(page, words.save).click()
    const mine = { sessionTtlSeconds: 3600, sessionMaxSeconds: 7200 }
    await expect
      .poll(async () => (await accounts.find(site.accountId)).policy, patience)
      .toEqual({ ...usual, ...theirs, ...mine })
    await accounts.setPolicy(site.accountId, usual)
  })

  test('of an endpoint', async () => {
    const { webhooks } = site.clientele
    const { id } = await webhooks.create(site.accountId, { url })
    const page = await site.openAsOperator(site.hashOf(`webhooks/${id}`))
    await button(page, words.edit).click()
    const theirs = { url: 'http://127.0.0.1:9/new', types: ['user.created'] }
    await webhooks.update(site.accountId, id, theirs)
    await page.getByLabel(english.webhooks.form.description).fill('ours')
    await save(page)
    const found = await webhooks.find(site.accountId, id)
    expect(found).toMatchObject({ ...theirs, description: 'ours' })
    await webhooks.delete(site.accountId, id)
  })

  test('of an account', async () => {
    const { accounts } = site.clientele
    const { id } = await accounts.create({ name: 'Initech' })
    const page = await site.openAsOperator()
    await button(page, english.accounts.edit('Initech')).click()
    await accounts.update(id, { slug: 'initech', name: 'Initech Ltd' })
    await page.getByRole('dialog').getByLabel(english.accounts.externalId).fill('customer 7')
    await save(page)
    const mine = { externalId: 'customer 7' }
    expect(await accounts.find(id)).toMatchObject({ slug: 'initech', name: 'Initech Ltd', ...mine })
    await accounts.delete(id)
  })

  test('of the site for passkeys', async () => {
    const { accounts } = site.clientele
    const { id } = await accounts.create({ name: 'Hooli' })
    const settings = { rpId: 'hooli.example', rpName: 'Hooli', origins: ['https://hooli.example'] }
    await accounts.setPasskeys(id, settings)
    const page = await site.openAsOperator(`#/a/${id}/settings`)
    await page.getByLabel(english.settings.rpName).waitFor()
    const theirs = { origins: ['https://login.hooli.example'], requireToken: true }
    await accounts.setPasskeys(id, { ...settings, ...theirs })
    await page.getByLabel(english.settings.rpName).fill('Hooli XYZ')
    await save(page)
    const { passkeys } = await accounts.find(id)
    expect(passkeys).toMatchObject({ ...theirs, rpName: 'Hooli XYZ' })
    await accounts.delete(id)
  })
})
