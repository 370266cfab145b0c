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
        const [sessions, { totp, recoveryCodesLeft }, emailVerifiedAt] = await Promise.all([
          clientele.sessions.list(options.account, user.id),
          clientele.mfa.read(options.account, user.id),
          clientele.users.getEmailVerifiedAt(options.account, user.id),
        ])
        const more = { emailVerifiedAt, sessions: sessions.length, totp, recoveryCodesLeft }
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

function formatParagraph(
  user: ClientUser,
  more: { emailVerifiedAt: Date | null; sessions: number; totp: boolean },
): string {
  const row = {
    ...formatUser(user),
    metadata: JSON.stringify(user.metadata),
    email_verified: more.emailVerifiedAt,
    sessions: more.sessions,
    authenticator_app: more.totp ? 'yes' : 'no',
  }
  return formatRow(row)
}
