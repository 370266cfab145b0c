import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addAccountEnable(parent: Command): void {
  parent
    .command('enable')
    .description('accept the keys and tokens of a disabled account again')
    .addOption(idOption('account'))
    .addHelpText('after', '\nExample: clientele account enable --account ID')
    .action(
      withClientele('change', async (clientele, options: { account: string }) => {
        const account = await clientele.accounts.enable(options.account)
        return { json: { account }, text: `Enabled: ${account.id} (${account.name})` }
      }),
    )
}
