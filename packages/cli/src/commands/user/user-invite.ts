import type { Clientele, ClientUser, JsonObject } from '@clientele/core'
import { type Command, Option } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { UsageError } from '../../usage-error.ts'
import { withMail } from '../../with-clientele.ts'
import { formatUser } from './format-user.ts'
import { addProfileFields } from './profile-options.ts'

interface Options {
  account: string
  id?: string
  name?: string
  email?: string
  role?: string[]
  metadata?: JsonObject
  locale?: string
}

export function addUserInvite(parent: Command): void {
  const again = idOption('id', 'user')
  again.makeOptionMandatory(false)
  again.description = 'invite this user again, who has no password; the mail before is void'
  const command = parent
    .command('invite')
    .description('create a user who sets their own password, and mail them how')
    .addOption(idOption('account'))
    .addOption(again.conflicts(['name', 'email', 'role', 'metadata']))
    .option('--name <name>', 'the name of the user')
    .option('--email <address>', 'the e-mail address')
  addProfileFields(command)
    .addOption(new Option('--locale <tag>', 'the language of the mail, such as de or pt-BR'))
    .addHelpText(
      'after',
      '\nExample: clientele user invite --account ID --name "Ada Lovelace" --email ada@example.com\n\nThe mail is sent by SMTP_URL and MAIL_FROM, or MAIL_WEBHOOK, as the server sends it.',
    )
    .action(
      withMail('change', async (clientele, options: Options, delivered) => {
        const user = await invite(clientele, options)
        try {
          await delivered
        } catch (cause) {
          const reason = cause instanceof Error ? cause.message : String(cause)
          const next = `clientele user invite --account ${options.account} --id ${user.id}`
          throw new Error(`The mail was not sent: ${reason} The user is there: then run ${next}`)
        }
        return { json: { user }, text: formatTable([formatUser(user)]) }
      }),
    )
}

async function invite(
  clientele: Clientele,
  { account, id, name, email, role: roles = [], metadata = {}, locale }: Options,
): Promise<ClientUser> {
  const language = locale === undefined ? {} : { locale }
  if (id !== undefined) {
    await clientele.users.sendInvitation(account, id, language)
    return (await clientele.users.find(account, id)).user
  }
  if (name === undefined || email === undefined)
    throw new UsageError('Give --name and --email of a new user, or --id to invite one again.')
  const input = { name, email, roles, metadata, ...language }
  return (await clientele.users.invite(account, input)).user
}
