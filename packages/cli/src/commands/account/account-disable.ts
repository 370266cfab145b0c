import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addAccountDisable(parent: Command): void {
  parent
    .command('disable')
    .description("refuse an account's API keys and its users' tokens at once; no data is deleted")
    .addOption(idOption('account'))
    .addHelpText('after', '\nExample: clientele account disable --account ID')
    .action(
      withClientele('change', async (clientele, options: { account: string }) => {
        const account = await clientele.accounts.disable(options.account)
        return { json: { account }, text: `Disabled: ${account.id} (${account.name})` }
      }),
    )
}
