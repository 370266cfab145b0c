import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatUser } from './format-user.ts'
import { addProfileOptions, type ProfileOptions, readPassword } from './profile-options.ts'

type Options = ProfileOptions & { name: string; email: string; passwordFile: string }

export function addUserCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description('create a user with a password')
    .addOption(idOption('account'))
    .requiredOption('--name <name>', 'the name of the user')
    .requiredOption('--email <address>', 'the e-mail address')
  addProfileOptions(command)
    .addHelpText(
      'after',
      '\nExample: clientele user create --account ID --name "Ada Lovelace" --email ada@example.com --password-file -',
    )
    .action(
      withClientele('change', async (clientele, options: Options) => {
        const { account, name, email, role = [], metadata = {}, passwordFile } = options
        const password = await readPassword(passwordFile)
        const input = { name, email, roles: role, metadata, password }
        const { user } = await clientele.users.create(account, input)
        return { json: { user }, text: formatTable([formatUser(user)]) }
      }),
    )
  for (const option of command.options)
    if (option.attributeName() === 'passwordFile') option.makeOptionMandatory()
}
