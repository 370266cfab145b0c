import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { dataOf } from '@clientele/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findBarriers } from '../browser/find-barriers.ts'
import { openBrowser } from '../browser/open-browser.ts'
import { runCommand } from '../support/run-command.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { startMailServer, startWithAda, waitForMails } from './mail-world.ts'

vi.setConfig({ testTimeout: 60_000 })

const MAIL_FROM = 'no-reply@acme.example'
/** The languages of the server's own mails, and a word of each in the subject of a reset */
const languages = {
  en: 'password',
  de: 'Passwort',
  fr: 'mot de passe',
  es: 'contraseña',
  pt: 'senha',
  it: 'password',
  nl: 'wachtwoord',
  pl: 'hasło',
  ja: 'パスワード',
  zh: '密码',
}
const browser = await openBrowser()

async function start(settings: Record<string, string> = {}) {
  const box = await startMailServer({ disabledCommands: ['STARTTLS'] })
  const SMTP_URL = `smtp://127.0.0.1:${box.port}`
  const world = await startWithAda({ SMTP_URL, MAIL_FROM, ...settings })
  return { ...world, box }
}

async function writeTemplates(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-templates-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

test('each mail is written in each language, and can be read in light and in dark', async () => {
  const { client, box } = await start()
  const password = 'analytical engine'
  for (const locale of Object.keys(languages)) {
    const email = `${locale}@example.com`
    const { id } = dataOf(await client.createUser({ name: 'Ada', email, password }))
    dataOf(await client.forgotPassword({ email, locale }))
    dataOf(await client.requestEmailVerification({ email, locale }))
    const invitee = { name: 'Ada', email: `invited-${email}`, locale }
    dataOf(await client.inviteUser(invitee))
    dataOf(await client.enrolEmailFactor(id))
    const { data } = dataOf(await client.logIn({ email, password }))
    if (!('challenge' in data)) throw new Error('No second factor was asked for.')
    dataOf(await client.mailTwoFactorCode({ challenge: data.challenge, locale }))
  }
  const mails = await waitForMails(box.mails, 4 * Object.keys(languages).length)
  for (const [locale, word] of Object.entries(languages)) {
    const ofUser = mails.filter(({ to }) => to?.[0]?.address?.endsWith(`${locale}@example.com`))
    expect(ofUser.filter(({ subject }) => subject?.includes(word)).length).toBeGreaterThan(0)
    expect(new Set(ofUser.map(({ subject }) => subject)).size).toBe(4)
    for (const { text = '', html = '' } of ofUser) {
      const [secret = 'none'] = /^(?:\d{6}|\S{40,})$/m.exec(text) ?? []
      for (const body of [text, html])
        for (const part of [secret, 'Ada']) expect(body).toContain(part)
      expect(text + html).not.toMatch(/[{}]{2}(?!\n)|undefined/)
      expect(html).toContain(`<html lang="${locale}">`)
    }
  }
  expect(new Set(mails.map(({ subject }) => subject)).size).toBeGreaterThan(25)
  if (browser === undefined) return
  // Their words differ, their form does not: by default two languages are looked at.
  const looked = mails.filter(
    ({ to }) => runsEveryTest || /(en|ja)@example\.com$/.test(to?.[0]?.address ?? ''),
  )
  expect(looked.length).toBeGreaterThan(7)
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 844 } })
    for (const { html = '' } of looked) {
      await page.setContent(html)
      expect(await findBarriers(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(background).toBe(colorScheme === 'dark' ? 'rgb(23, 23, 26)' : 'rgb(255, 255, 255)')
    }
    await page.close()
  }
})

test('the language is found by its tag, else it is MAIL_LOCALE, and a wrong tag is named', async () => {
  const { client, ada, box, askForReset } = await start({ MAIL_LOCALE: 'de-at' })
  const { email } = ada
  await askForReset()
  for (const locale of ['pt-br', 'zh-Hant-TW', 'sv'])
    dataOf(await client.requestEmailVerification({ email, locale }))
  const mails = await waitForMails(box.mails, 4)
  expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
    'Confirmar seu endereço de e-mail',
    'E-Mail-Adresse bestätigen',
    'Passwort zurücksetzen',
    '确认您的电子邮件地址',
  ])
  for (const locale of ['de_DE', 'd', 'de-', `de-${'x'.repeat(40)}`]) {
    const { problem } = await client.forgotPassword({ email, locale })
    const message = 'must be a language tag (BCP 47), for instance pt-BR'
    expect(problem).toMatchObject({ status: 422, errors: [{ pointer: '/locale', message }] })
  }
})

test('the texts of the operator go before ours, those of the language first', async () => {
  const MAIL_TEMPLATES = await writeTemplates({
    'password_reset.subject.txt': 'ours',
    'password_reset.txt': '{{token}}',
    'pt-br/password_reset.subject.txt': 'nossa',
    'pt-br/password_reset.txt': '{{token}}',
    'sv/email_verification.subject.txt': 'vår',
    'sv/email_verification.txt': '{{token}}',
  })
  const { client, ada, box } = await start({ MAIL_TEMPLATES, MAIL_LOCALE: 'sv' })
  const { email } = ada
  for (const locale of ['pt-BR', 'pt', undefined])
    dataOf(await client.forgotPassword({ email, ...(locale && { locale }) }))
  for (const locale of ['fr', 'sv'])
    dataOf(await client.requestEmailVerification({ email, locale }))
  const mails = await waitForMails(box.mails, 5)
  expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
    'nossa',
    'ours',
    'ours',
    'vår',
    'vår',
  ])
})

test('a language that has no words, and a folder that is none, are refused at the start', async () => {
  const refuse = async (settings: Record<string, string>) => {
    const SMTP_URL = 'smtp://127.0.0.1:25'
    const environment = { DATABASE_URL: 'sqlite::memory:', SMTP_URL, MAIL_FROM, ...settings }
    const { code, errors } = await runCommand(['serve'], environment)
    expect(code).toBe(2)
    return errors.split('\n').filter((line) => line.startsWith('MAIL_'))
  }
  expect(await refuse({ MAIL_LOCALE: 'sv' })).toEqual([
    'MAIL_LOCALE must be one of en, de, fr, es, pt, it, nl, pl, ja, zh, or a folder of MAIL_TEMPLATES.',
  ])
  expect(await refuse({ MAIL_LOCALE: 'en_GB' })).toEqual([
    'MAIL_LOCALE must be a language tag (BCP 47): de, or pt-BR.',
  ])
  const MAIL_TEMPLATES = await writeTemplates({ 'my_mails/password_reset.txt': '{{token}}' })
  expect(await refuse({ MAIL_TEMPLATES })).toEqual([
    'MAIL_TEMPLATES has the folder my_mails: name it after a language, pt-BR.',
  ])
})
