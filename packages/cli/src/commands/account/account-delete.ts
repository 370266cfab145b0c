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
      'delete an account with its users and keys, for good; one interrupted stays disabled',
    )
    .addOption(idOption('account'))
    .option('--yes', 'really; without it, it only says what would be deleted')
    .action(
      withClientele(
        ({ yes }: Options) => (yes ? 'change' : 'look'),
        async (clientele, { account: accountId, yes }) => {
          const { id, name } = await clientele.accounts.find(accountId)
          if (!yes) {
            const { total } = await clientele.users.list(id, { limit: 1 })
            throw new UsageError(
              `This deletes the account ${id} (${name}) and its ${total} users for good. Add --yes if that is meant.`,
            )
          }
          await clientele.accounts.delete(id)
          return { json: { id, deleted: true }, text: `Deleted: ${id} (${name})` }
        },
      ),
    )
}
