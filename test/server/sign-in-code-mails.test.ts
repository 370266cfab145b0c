import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataOf } from '@clientele/client'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/run-command.ts'
import { startMailServer, startWithAda, waitForMails } from './mail-world.ts'

test('the server mails a code that signs in, with the account’s policy set on the command line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-codes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const box = await startMailServer({ disabledCommands: ['STARTTLS'] })
  const DATABASE_URL = `sqlite:${join(folder, 'clientele.sqlite')}`
  const SMTP_URL = `smtp://127.0.0.1:${box.port}`
  const settings = { DATABASE_URL, SMTP_URL, MAIL_FROM: 'no-reply@acme.example' }
  const { client, ada, userId, running } = await startWithAda(settings)
  const { email } = ada
  expect(await client.mailSignInCode({ email })).toMatchObject({
    problem: { code: 'sign_in_method_disabled' },
  })
  const { output } = await runCommand(['account', 'list', '--json'], settings)
  const [{ id } = { id: '' }] = JSON.parse(output).accounts as { id: string }[]
  const policy = ['account', 'policy', '--account', id, '--sign-in', 'password', 'email_code']
  expect((await runCommand(policy, settings)).code).toBe(0)
  const { data } = dataOf(await client.mailSignInCode({ email, locale: 'de' }))
  const [mail] = await waitForMails(box.mails)
  expect(mail?.subject).toBe('Ihr Anmeldecode')
  const [code = ''] = /\b\d{8}\b/.exec(mail?.text ?? '') ?? []
  expect(mail?.html).toContain(code)
  const { challenge } = data
  const wrong = await client.logInWithCode({ challenge, code: '1' })
  expect(wrong).toMatchObject({ problem: { code: 'sign_in_code_invalid' } })
  expect(dataOf(await client.logInWithCode({ challenge, code }))).toMatchObject({
    success_code: 200,
    user: { id: userId },
  })
  expect(running.errors()).not.toContain(code)
})
