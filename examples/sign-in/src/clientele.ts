import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { keepMail } from './mails.ts'

export const port = Number(process.env.PORT ?? 4100)
export const origin = `http://localhost:${port}`

export const clientele = await createClientele({
  repository: sqlite({ filename: 'data/users.sqlite' }),
  // A real site gives the mail to its mail server.
  sendMail: async (mail) => keepMail(mail, origin),
})

// The users of this site are those of one account. Where each customer has its own users, each has an account.
const [first] = await clientele.accounts.list()
const account = first ?? (await clientele.accounts.create({ name: 'Acme' }))
export const accountId = account.id

export const rememberDeviceDays = 30
await clientele.accounts.setPolicy(accountId, {
  signIn: ['password', 'passkey', 'email_code'],
  secondFactor: 'required',
  rememberDeviceDays,
})
await clientele.accounts.setPasskeys(accountId, {
  ...{ rpId: 'localhost', rpName: 'Acme', origins: [origin] },
  requireToken: true,
})

if (first === undefined)
  await clientele.users.invite(accountId, {
    ...{ name: 'Ada Lovelace', email: 'ada@example.com', roles: ['admin'] },
  })
