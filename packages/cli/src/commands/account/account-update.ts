import type { Command } from 'commander'
import { formatRow } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { UsageError } from '../../usage-error.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatWholeAccount } from './format-account.ts'
import { addNameOptions, type NameOptions, readNames } from './name-options.ts'

interface Options extends NameOptions {
  account: string
  name?: string
}

export function addAccountUpdate(parent: Command): void {
  const command = parent
    .command('update')
    .description('change only the given members of an account')
    .addOption(idOption('account'))
    .option('--name <name>', 'the name of the account')
  addNameOptions(command)
    .option('--no-slug', 'remove the slug')
    .option('--no-external-id', 'remove the external id')
    .option('--no-metadata', 'remove all metadata')
    .addHelpText('after', '\nExample: clientele account update --account ID --slug acme')
    .action(
      withClientele('change', async (clientele, { account: id, name, ...given }: Options) => {
        const changes = { ...(name !== undefined && { name }), ...readNames(given) }
        if (Object.keys(changes).length === 0)
          throw new UsageError('Nothing to change: --help lists what can be given.')
        const account = await clientele.accounts.update(id, changes)
        return { json: { account }, text: formatRow(formatWholeAccount(account)) }
      }),
    )
}
