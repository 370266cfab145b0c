import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { UsageError } from '../../usage-error.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatUser } from './format-user.ts'
import { addProfileOptions, type ProfileOptions, readPassword } from './profile-options.ts'

export function addUserUpdate(parent: Command): void {
  const command = parent
    .command('update')
    .description('change only the given members of a user; a new password ends all sessions')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .option('--name <name>', 'the name of the user')
    .option('--email <address>', 'the e-mail address')
  addProfileOptions(command)
    .option('--no-roles', 'remove all roles')
    .addHelpText(
      'after',
      '\nExample: clientele user update --account ID --id ID --role admin editor',
    )
    .action(
      withClientele('change', async (clientele, options: ProfileOptions & { id: string }) => {
        const { account, id, passwordFile, ...given } = options
        const changes = {
          ...readChanges(given),
          ...(passwordFile !== undefined && { password: await readPassword(passwordFile) }),
        }
        if (Object.keys(changes).length === 0)
          throw new UsageError('Nothing to change: --help lists what can be given.')
        const { user } = await clientele.users.patch(account, id, changes)
        return { json: { user }, text: formatTable([formatUser(user)]) }
      }),
    )
}

function readChanges({ name, email, role, roles, metadata }: Omit<ProfileOptions, 'account'>) {
  if (role !== undefined && roles === false)
    throw new UsageError('Give either --role or --no-roles.')
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(role !== undefined && { roles: role }),
    ...(roles === false && { roles: [] }),
    ...(metadata !== undefined && { metadata }),
  }
}
