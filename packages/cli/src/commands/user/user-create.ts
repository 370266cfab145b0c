import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatUser } from './format-user.ts'
import { addProfileOptions, type ProfileOptions, readPassword } from './profile-options.ts'

type Options = ProfileOptions & { name: string; email: string; passwordFile: string }

const run = withClientele(
  'change',
  async (clientele, { account, password, ...options }: Options & { password: string }) => {
    const { name, email, role: roles = [], metadata = {} } = options
    const { user } = await clientele.users.create(account, {
      name,
      email,
      roles,
      metadata,
      password,
    })
    return { json: { user }, text: formatTable([formatUser(user)]) }
  },
)

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
    .action(async (options: Options, command: Command) => {
      // Standard input is read before the database is opened.
      const password = await readPassword(options.passwordFile)
      await run({ ...options, password }, command)
    })
  for (const option of command.options)
    if (option.attributeName() === 'passwordFile') option.makeOptionMandatory()
}
