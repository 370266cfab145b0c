import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/run-command.ts'
import { startMailServer, startWithAda, waitForMails } from './mail-world.ts'

const MAIL_FROM = 'no-reply@acme.example'

async function writeTemplates(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-templates-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

/** The mail for a reset that a user of this name gets by these templates */
async function mailReset(files: Record<string, string>, name: string) {
  const MAIL_TEMPLATES = await writeTemplates(files)
  const box = await startMailServer({ disabledCommands: ['STARTTLS'] })
  const settings = { SMTP_URL: `smtp://127.0.0.1:${box.port}`, MAIL_FROM, MAIL_TEMPLATES }
  const { askForReset } = await startWithAda(settings, name)
  await askForReset()
  const [reset] = await waitForMails(box.mails)
  return reset
}

test('templates replace a mail as a whole, and HTML has its values escaped', async () => {
  const MAIL_TEMPLATES = await writeTemplates({
    'password_reset.subject.txt': 'Neues Passwort für {{ name }}\n',
    'password_reset.txt': '{{name}} {{email}} {{expires_in_minutes}} {{user_id}}\n{{token}}',
    'password_reset.html':
      '<a title="{{name}}" href="https://acme.example/?t={{token}}">{{name}}</a>',
    '.hidden': 'an editor left it',
  })
  const box = await startMailServer({ disabledCommands: ['STARTTLS'] })
  const settings = { SMTP_URL: `smtp://127.0.0.1:${box.port}`, MAIL_FROM, MAIL_TEMPLATES }
  const { client, ada, userId, askForReset } = await startWithAda(settings, `Ada "<&'> {{token}}`)
  await askForReset()
  const [reset] = await waitForMails(box.mails)
  expect(reset?.subject).toBe(`Neues Passwort für Ada "<&'> {{token}}`)
  const [line, token] = reset?.text?.trim().split('\n') ?? []
  expect(line).toBe(`Ada "<&'> {{token}} ${ada.email} 60 ${userId}`)
  const name = 'Ada &quot;&lt;&amp;&#39;&gt; {{token}}'
  expect(reset?.html?.trim()).toBe(
    `<a title="${name}" href="https://acme.example/?t=${token}">${name}</a>`,
  )
  await client.requestEmailVerification({ email: ada.email })
  await waitForMails(box.mails, 2)
  expect(box.mails[1]?.subject).toBe('Confirm your e-mail address')
})

test.each([
  ['Reset for', '=?utf-8?Q?=0D=0ABcc:_eve@example.com?='],
  ['Neues Passwort für', '=?utf-8?B?RXZl?= und Ünal =?utf-8?Q?=45ve?='],
  ['Reset for', `=?utf-8?q?${'😀'.repeat(30)}?=`],
])('a name that looks encoded is not decoded in a subject: %s %s', async (words, name) => {
  const reset = await mailReset(
    {
      'password_reset.subject.txt': `${words} {{name}}`,
      'password_reset.txt': '{{token}}',
    },
    name,
  )
  expect(reset?.subject).toBe(`${words} ${name}`)
  expect(reset?.bcc).toBeUndefined()
})

test('a name cannot reorder the words after it', async () => {
  const reset = await mailReset(
    {
      'password_reset.subject.txt': '{{name}}: reset',
      'password_reset.txt': '{{name}}: {{token}}',
    },
    'Ada \u202eecalevoL\u2067 \u200f',
  )
  expect(reset?.subject).toMatch(/^Ada ecalevoL/)
  // Marks, which Arabic and Hebrew names need, stay.
  expect(`${reset?.subject}${reset?.text}`).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
})

test('a name makes no link', async () => {
  const reset = await mailReset(
    {
      'password_reset.subject.txt': 'Reset',
      'password_reset.txt': '{{name}}: {{token}}',
    },
    'Win: https://evil.test/a or a@b.test a\u3002b c\uff61d e\uff0ef',
  )
  expect(reset?.text).toContain(
    'Win: https:\u2060/\u2060/\u2060evil.\u2060test/\u2060a or a@\u2060b.\u2060test',
  )
  // Browsers take these for dots.
  expect(reset?.text).toContain(' a\u3002\u2060b c\uff61\u2060d e\uff0e\u2060f')
})

test('a mail without HTML is plain text alone', async () => {
  const MAIL_TEMPLATES = await writeTemplates({
    'password_reset.subject.txt': 'Reset',
    'password_reset.txt': '{{token}}',
  })
  const box = await startMailServer({ disabledCommands: ['STARTTLS'] })
  const settings = { SMTP_URL: `smtp://127.0.0.1:${box.port}`, MAIL_FROM, MAIL_TEMPLATES }
  const { askForReset } = await startWithAda(settings)
  await askForReset()
  const [reset] = await waitForMails(box.mails)
  expect([reset?.html, reset?.subject]).toEqual([undefined, 'Reset'])
})

async function refuse(MAIL_TEMPLATES: string): Promise<string[]> {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM, MAIL_TEMPLATES }
  const environment = { ...mail, DATABASE_URL: 'sqlite::memory:' }
  const { code, output, errors } = await runCommand(['serve'], environment)
  expect({ code, output }).toEqual({ code: 2, output: '' })
  return errors.split('\n').filter((line) => line.startsWith('MAIL_TEMPLATES '))
}

test('all errors in templates are reported at the start, by name', async () => {
  const folder = await writeTemplates({
    'password_reset.subject.txt': '{{token}} for {{nmae}}',
    'password_reset.txt': 'no token here',
    'two_factor_code.txt': '{{code}} {{token}}',
    'email_verification.htm': '',
    'README.md': '',
  })
  const lines = await refuse(folder)
  expect(lines).toHaveLength(6)
  for (const part of [
    'has the file README.md,',
    'has the file email_verification.htm,',
    'has {{nmae}} in password_reset.subject.txt',
    'lacks {{token}} in password_reset.txt',
    'has {{token}} in two_factor_code.txt',
    'needs both two_factor_code.subject.txt and two_factor_code.txt',
  ]) {
    expect(lines.some((line) => line.includes(part))).toBe(true)
  }
  expect(await refuse(join(folder, 'none'))).toEqual([
    'MAIL_TEMPLATES must be a folder that can be read (ENOENT).',
  ])
})
