import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addAccountRename(parent: Command): void {
  parent
    .command('rename')
    .description('rename an account')
    .addOption(idOption('account'))
    .requiredOption('--name <name>', 'the new name')
    .addHelpText('after', '\nExample: clientele account rename --account ID --name Globex')
    .action(
      withClientele('change', async (clientele, options: { account: string; name: string }) => {
        const account = await clientele.accounts.rename(options.account, { name: options.name })
        return { json: { account }, text: `Account: ${account.id} (${account.name})` }
      }),
    )
}
