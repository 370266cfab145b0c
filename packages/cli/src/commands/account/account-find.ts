import type { Account, Clientele } from '@clientele/core'
import { type Command, Option } from 'commander'
import { formatRow } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { UsageError } from '../../usage-error.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatWholeAccount } from './format-account.ts'

interface Options {
  account?: string
  slug?: string
  externalId?: string
}

export function addAccountFind(parent: Command): void {
  const id = idOption('account')
  id.mandatory = false
  parent
    .command('find')
    .description('show one account, by its id, its slug or your own id for it')
    .addOption(id)
    .addOption(new Option('--slug <slug>', 'its slug').conflicts('account'))
    .addOption(
      new Option('--external-id <id>', 'your own id of the account').conflicts(['account', 'slug']),
    )
    .addHelpText('after', '\nExample: clientele account find --slug acme')
    .action(
      withClientele('look', async (clientele, options: Options) => {
        const account = await findAccount(clientele, options)
        return { json: { account }, text: formatRow(formatWholeAccount(account)) }
      }),
    )
}

function findAccount(
  { accounts }: Clientele,
  { account, slug, externalId }: Options,
): Promise<Account> {
  if (account !== undefined) return accounts.find(account)
  if (slug !== undefined) return accounts.find({ slug })
  if (externalId !== undefined) return accounts.find({ externalId })
  throw new UsageError('Give --account, --slug or --external-id.')
}
