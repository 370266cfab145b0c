import type { Clientele, ClientUser } from '@clientele/core'
import { type Command, Option } from 'commander'
import { formatRow } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { UsageError } from '../../usage-error.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatUser } from './format-user.ts'

interface FindOptions {
  account: string
  id?: string
  email?: string
}

export function addUserFind(parent: Command): void {
  const id = idOption('id', 'user')
  id.mandatory = false
  parent
    .command('find')
    .description('show one user, with sessions and second factors')
    .addOption(idOption('account'))
    .addOption(id)
    .addOption(new Option('--email <address>', 'the e-mail address').conflicts('id'))
    .addHelpText('after', '\nExample: clientele user find --account ID --email ada@example.com')
    .action(
      withClientele('look', async (clientele, options: FindOptions) => {
        const user = await findUser(clientele, options)
        const about = [options.account, user.id] as const
        const [sessions, secondFactors, passkeys, emailVerifiedAt] = await Promise.all([
          clientele.sessions.list(...about),
          clientele.mfa.read(...about),
          clientele.passkeys.list(...about),
          clientele.users.getEmailVerifiedAt(...about),
        ])
        const counts = { sessions: sessions.length, passkeys: passkeys.length }
        const more = { emailVerifiedAt, ...counts, secondFactors }
        return { json: { user, ...more }, text: formatParagraph(user, more) }
      }),
    )
}

async function findUser(
  clientele: Clientele,
  { account, id, email }: FindOptions,
): Promise<ClientUser> {
  if (id !== undefined) return (await clientele.users.find(account, id)).user
  if (email === undefined) throw new UsageError('Give --id or --email.')
  await clientele.accounts.find(account)
  const [user] = (await clientele.users.list(account, { email, limit: 1 })).data
  if (user !== undefined) return user
  const { ClienteleError } = await import('@clientele/core')
  throw new ClienteleError('user_not_found')
}

interface Details {
  emailVerifiedAt: Date | null
  sessions: number
  passkeys: number
  secondFactors: Awaited<ReturnType<Clientele['mfa']['read']>>
}

function formatParagraph(
  user: ClientUser,
  { emailVerifiedAt, sessions, passkeys, secondFactors }: Details,
): string {
  const row = {
    ...formatUser(user),
    metadata: JSON.stringify(user.metadata),
    email_verified: emailVerifiedAt,
    sessions,
    passkeys,
    authenticator_app: secondFactors.totp ? 'yes' : 'no',
    mailed_codes: secondFactors.email ? 'yes' : 'no',
    recovery_codes: secondFactors.recoveryCodesLeft,
  }
  return formatRow(row)
}
