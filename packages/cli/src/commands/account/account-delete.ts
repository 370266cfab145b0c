import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { UsageError } from '../../usage-error.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  yes?: boolean
}

export function addAccountDelete(parent: Command): void {
  parent
    .command('delete')
    .description(
      'delete an account with its users and keys permanently; if interrupted, the account stays disabled',
    )
    .addOption(idOption('account'))
    .option('--yes', 'delete it; without this option the command only shows what it would delete')
    .addHelpText('after', '\nExample: clientele account delete --account ID --yes')
    .action(
      withClientele(
        ({ yes }: Options) => (yes ? 'change' : 'look'),
        async (clientele, { account: accountId, yes }) => {
          const { id, name } = await clientele.accounts.find(accountId)
          if (!yes) {
            const { total } = await clientele.users.list(id, { limit: 1 })
            throw new UsageError(
              `This deletes the account ${id} (${name}) and its ${total} users permanently. Add --yes to confirm.`,
            )
          }
          await clientele.accounts.delete(id)
          return { json: { id, deleted: true }, text: `Deleted: ${id} (${name})` }
        },
      ),
    )
}
