import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { UsageError } from '../../usage-error.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  id: string
}

export function addUserActivate(parent: Command): void {
  parent
    .command('activate')
    .description('let a deactivated user sign in again')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addHelpText('after', '\nExample: clientele user activate --account ID --id ID')
    .action(
      withClientele('change', async (clientele, { account, id }: Options) => {
        const { user } = await clientele.users.activate(account, id)
        return { json: { user }, text: `Activated: ${user.id} (${user.email})` }
      }),
    )
}

export function addUserDeactivate(parent: Command): void {
  parent
    .command('deactivate')
    .description('end all sessions and tokens of a user at once, and refuse new ones')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addHelpText('after', '\nExample: clientele user deactivate --account ID --id ID')
    .action(
      withClientele('change', async (clientele, { account, id }: Options) => {
        const { user } = await clientele.users.deactivate(account, id)
        return { json: { user }, text: `Deactivated: ${user.id} (${user.email})` }
      }),
    )
}

export function addUserDelete(parent: Command): void {
  parent
    .command('delete')
    .description('delete a user permanently; events keep the id')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .option('--yes', 'delete it; without this option the command only shows what it would delete')
    .addHelpText('after', '\nExample: clientele user delete --account ID --id ID --yes')
    .action(
      withClientele(
        ({ yes }: Options & { yes?: true }) => (yes ? 'change' : 'look'),
        async (clientele, { account, id, yes }) => {
          const { user } = await clientele.users.find(account, id)
          if (!yes)
            throw new UsageError(
              `This deletes the user ${user.id} (${user.email}) permanently. Add --yes to confirm.`,
            )
          await clientele.users.delete(account, id)
          return {
            json: { id: user.id, deleted: true },
            text: `Deleted: ${user.id} (${user.email})`,
          }
        },
      ),
    )
}
