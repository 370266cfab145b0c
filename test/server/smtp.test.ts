import { dataOf } from '@clientele/client'
import { generate } from 'selfsigned'
import { expect, test, vi } from 'vitest'
import { findFreePort } from '../support/find-free-port.ts'
import { expectQuietLog, startMailServer, startWithAda, waitForMails } from './mail-world.ts'

vi.setConfig({ testTimeout: 60_000 })

const MAIL_FROM = 'Acme <no-reply@acme.example>'
const noTls = { disabledCommands: ['STARTTLS'] }

test('a reset, a verification and a code are mailed, in text and in HTML, and work', async () => {
  const box = await startMailServer(noTls)
  const smtp = { SMTP_URL: `smtp://127.0.0.1:${box.port}`, MAIL_FROM }
  const { client, ada, userId, askForReset, running } = await startWithAda(smtp, 'Ada <b>"&\'')
  await askForReset()
  const [reset] = await waitForMails(box.mails)
  expect(reset).toMatchObject({
    from: { name: 'Acme', address: 'no-reply@acme.example' },
    to: [{ address: ada.email }],
    subject: 'Reset your password',
    messageId: expect.stringMatching(/^<mail_[0-9a-f-]{36}@acme\.example>$/),
  })
  expect(reset?.text).toContain(`Hello Ada <b>"&',`)
  expect(reset?.html).toContain('Hello Ada &lt;b&gt;&quot;&amp;&#39;,')
  const [token = ''] = /^\S{40,}$/m.exec(reset?.text ?? '') ?? []
  expect(reset?.html).toContain(token)
  const password = 'difference engine'
  dataOf(await client.resetPassword({ token, password }))

  dataOf(await client.requestEmailVerification({ email: ada.email }))
  await waitForMails(box.mails, 2)
  const verification = box.mails[1]?.text ?? ''
  expect(verification).toContain('within 24 hours')
  const [proof = ''] = /^\S{40,}$/m.exec(verification) ?? []
  dataOf(await client.confirmEmail({ token: proof }))

  dataOf(await client.enrolEmailFactor(userId))
  const signedIn = dataOf(await client.logIn({ email: ada.email, password }))
  if (signedIn.success_code !== 202) throw new Error('No second factor was asked for.')
  const { challenge } = signedIn.data
  dataOf(await client.mailTwoFactorCode({ challenge }))
  await waitForMails(box.mails, 3)
  const [, code = ''] = /^(\d{6})$/m.exec(box.mails[2]?.text ?? '') ?? []
  const method = 'email' as const
  expect(dataOf(await client.completeTwoFactor({ challenge, method, code })).success_code).toBe(200)
  expectQuietLog(running.errors(), token, proof, code)
})

test('STARTTLS and TLS from the start, with user and password', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }])
  for (const [scheme, options] of [
    ['smtp', { cert, key }],
    ['smtps', { cert, key, secure: true }],
  ] as const) {
    const box = await startMailServer(options)
    const SMTP_URL = `${scheme}://ada:swordfish@127.0.0.1:${box.port}?tls.rejectUnauthorized=false`
    const { askForReset, running } = await startWithAda({ SMTP_URL, MAIL_FROM })
    await askForReset()
    expect(await waitForMails(box.mails)).toMatchObject([{ isEncrypted: true, user: 'ada' }])
    expectQuietLog(running.errors())
  }
})

test('a password is not sent in clear, nor to a server whose certificate is not valid', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }])
  for (const { options, reason } of [
    { options: { ...noTls, allowInsecureAuth: true }, reason: /TLS with the mail server failed/ },
    { options: { cert, key }, reason: /certificate/ },
  ]) {
    const box = await startMailServer(options)
    const SMTP_URL = `smtp://ada:swordfish@127.0.0.1:${box.port}`
    const { askForReset, running } = await startWithAda({ SMTP_URL, MAIL_FROM })
    await askForReset()
    await expect.poll(running.errors).toMatch(/A mail (waits for another|could not be sent)/)
    expect(running.errors()).toMatch(reason)
    expect([box.mails, box.tried]).toEqual([[], []])
    expectQuietLog(running.errors())
  }
})

test('?requireTLS=false sends a password in clear', async () => {
  const box = await startMailServer({ ...noTls, allowInsecureAuth: true })
  const SMTP_URL = `smtp://ada:swordfish@127.0.0.1:${box.port}?requireTLS=false`
  const { askForReset } = await startWithAda({ SMTP_URL, MAIL_FROM })
  await askForReset()
  expect(await waitForMails(box.mails)).toMatchObject([{ isEncrypted: false, user: 'ada' }])
})

test('a wrong password is reported at the start and with each e-mail, and tried once', async () => {
  const box = await startMailServer({ ...noTls, allowInsecureAuth: true })
  const SMTP_URL = `smtp://ada:hunter2@127.0.0.1:${box.port}?requireTLS=false`
  const { askForReset, running } = await startWithAda({ SMTP_URL, MAIL_FROM })
  await expect.poll(running.errors).toContain('The mail server cannot be used now.')
  await askForReset()
  await expect.poll(running.errors).toContain('A mail could not be sent.')
  expect(running.errors()).toContain('refused the user or password of SMTP_URL (EAUTH 535')
  expect(running.errors()).not.toContain('another attempt')
  expectQuietLog(running.errors(), 'hunter2')
})

test('a mail that the server does not want is tried once, and its words are not logged', async () => {
  const box = await startMailServer({
    ...noTls,
    onRcptTo: ({ address }, _session, answer) =>
      answer(Object.assign(new Error(`unknown user ${address}`), { responseCode: 550 })),
  })
  const SMTP_URL = `smtp://127.0.0.1:${box.port}`
  const { askForReset, running } = await startWithAda({ SMTP_URL, MAIL_FROM })
  await askForReset()
  await expect.poll(running.errors).toContain('A mail could not be sent.')
  expect(running.errors()).toMatch(/The mail server refused the mail \(EENVELOPE 550/)
  expectQuietLog(running.errors())
})

test('the mail server is away for a while: the mail comes once it is back', async () => {
  const port = await findFreePort()
  const settings = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM }
  const { askForReset, running } = await startWithAda(settings)
  await askForReset()
  await expect.poll(running.errors, { timeout: 20_000 }).toContain('A mail waits for another')
  expect(running.errors()).toContain('cannot be reached (ESOCKET CONN): connect ECONNREFUSED')
  const box = await startMailServer(noTls, port)
  const [mail] = await waitForMails(box.mails)
  expect(mail?.to).toMatchObject([{ address: 'ada@example.com' }])
  expectQuietLog(running.errors())
})

test('SIGTERM tries waiting mails a last time, logs how many were not sent, and exits 0', async () => {
  const port = await findFreePort()
  const settings = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM }
  const away = await startWithAda(settings)
  await away.askForReset()
  await expect.poll(away.running.errors, { timeout: 20_000 }).toContain('A mail waits for another')
  expect(await away.stop()).toBe(0)
  expect(away.running.errors()).toMatch(/"mails":1,"message":"Mails were not sent/)

  const back = await startWithAda(settings)
  await back.askForReset()
  await expect.poll(back.running.errors, { timeout: 20_000 }).toContain('A mail waits for another')
  const box = await startMailServer(noTls, port)
  expect(await back.stop()).toBe(0)
  expect(box.mails).toHaveLength(1)
  expect(back.running.errors()).not.toContain('were not sent')
})

test('without settings, the log says that no mail is sent', async () => {
  const { running } = await startWithAda({})
  await expect
    .poll(running.errors)
    .toContain('No mail is sent: SMTP_URL and MAIL_WEBHOOK are not set.')
})
