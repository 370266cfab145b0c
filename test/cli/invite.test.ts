import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { type Mailbox, startMailServer } from '../server/mail-world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runCommand } from '../support/run-command.ts'

const databases = eitherDatabase(import.meta.filename)

vi.setConfig({ testTimeout: 60_000 })

const secret = 'a secret for tests that is long enough'

describe.each(databases)('inviting on the command line, on $name', ({ open }) => {
  let database: OpenDatabase
  let folder: string
  let accountId: string
  let box: Mailbox

  beforeAll(async () => {
    database = await open()
    folder = await mkdtemp(join(tmpdir(), 'clientele-cli-invite-'))
    const { output } = await run(['account', 'create', '--name', 'Acme', '--json'])
    accountId = JSON.parse(output).account.id
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await database.close()
  })

  function run(args: string[], more: Record<string, string> = {}) {
    return runCommand(args, { DATABASE_URL: database.url, CLIENTELE_SECRET: secret, ...more })
  }
  async function withMail() {
    box = await startMailServer({ disabledCommands: ['STARTTLS'] })
    return { SMTP_URL: `smtp://127.0.0.1:${box.port}`, MAIL_FROM: 'no-reply@acme.example' }
  }
  const invite = (...args: string[]) => ['user', 'invite', '--account', accountId, ...args]
  const tokenOf = ({ text = '' }: { text?: string | undefined }) =>
    /^[\w-]{43}$/m.exec(text)?.[0] ?? ''

  async function accept(token: string, email: string): Promise<void> {
    const clientele = await openClientele(database.url, { secrets: [secret] })
    try {
      const password = 'chosen by herself'
      await clientele.auth.acceptInvitation(accountId, { token, password })
      await logIn(clientele, accountId, { email, password })
    } finally {
      await clientele.close()
    }
  }

  test('a user is invited, and again, and signs in with the password that they chose', async () => {
    const mail = await withMail()
    const email = `${randomUUID()}@example.com`
    const person = ['--name', 'Ada Lovelace', '--email', email, '--role', 'admin']
    const first = await run(invite(...person, '--json'), mail)
    expect({ ...first, output: '' }).toEqual({ code: 0, errors: '', output: '' })
    const { user } = JSON.parse(first.output)
    expect(user).toMatchObject({ email, roles: ['admin'], is_active: true })
    expect(box.mails[0]).toMatchObject({ subject: 'You are invited', to: [{ address: email }] })
    const second = await run(invite('--id', user.id, '--locale', 'de'), mail)
    expect({ ...second, output: '' }).toEqual({ code: 0, errors: '', output: '' })
    const [old = '', latest = ''] = box.mails.map(tokenOf)
    await expect(accept(old, email)).rejects.toMatchObject({ code: 'invitation_invalid' })
    await accept(latest, email)
    const third = await run(invite('--id', user.id), mail)
    expect([third.code, third.errors]).toEqual([1, expect.stringContaining('invitation_accepted')])
  })

  test('what is wrong is said, and that nothing was mailed', async () => {
    const mail = await withMail()
    const person = () => ['--name', 'Ada', '--email', `${randomUUID()}@example.com`]
    const unset = await run(invite(...person()))
    expect([unset.code, unset.errors]).toEqual([1, expect.stringContaining('set SMTP_URL')])
    const nobody = await run(invite(), mail)
    expect([nobody.code, nobody.errors]).toEqual([2, expect.stringContaining('Give --name')])
    const tag = await run(invite(...person(), '--locale', 'a'), mail)
    expect([tag.code, tag.errors]).toEqual([2, expect.stringContaining('--locale')])
    const away = { ...mail, SMTP_URL: 'smtp://127.0.0.1:9' }
    const lost = await run(invite(...person()), away)
    expect(lost.code).toBe(1)
    expect(lost.errors).toContain('The mail was not sent: ')
    const [id = ''] = /(?<=--id )[0-9a-f-]{36}/.exec(lost.errors) ?? []
    expect(box.mails).toEqual([])
    expect((await run(invite('--id', id), mail)).code).toBe(0)
    expect(box.mails).toHaveLength(1)
  })

  test('an import invites, and its exit code says that somebody was not', async () => {
    const mail = await withMail()
    const lines = [
      { name: 'Ada', email: `${randomUUID()}@example.com` },
      { name: 'Bob', email: `${randomUUID()}@example.com`, password: 'a password' },
      { name: 'Eve', email: `${randomUUID()}@example.com`, is_active: false },
    ]
    const file = join(folder, 'users.ndjson')
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
    const importing = ['user', 'import', '--account', accountId, '--file', file]
    const refused = await run([...importing, '--locale', 'de'], mail)
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining('--invite')])
    const rehearsed = await run([...importing, '--invite', '--dry-run'], mail)
    expect(rehearsed).toMatchObject({ code: 0, output: expect.stringContaining('invited: 1') })
    expect(box.mails).toEqual([])
    const { code, output } = await run([...importing, '--invite'], mail)
    expect(code).toBe(2)
    expect(output).toContain('without a password: 2, invited: 1 (see below for the others)')
    expect(output).toContain('line 3: imported, not invited: user_inactive')
    expect(box.mails.map(({ to }) => to?.[0]?.address)).toEqual([lines[0]?.email])
    await accept(tokenOf(box.mails[0] ?? {}), lines[0]?.email ?? '')
  })
})
