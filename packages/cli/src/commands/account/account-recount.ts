import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addAccountRecount(parent: Command): void {
  parent
    .command('recount')
    .description("recount an account's users, if a total should ever be wrong")
    .addOption(idOption('account'))
    .addHelpText('after', '\nExample: clientele account recount --account ID')
    .action(
      withClientele('change', async (clientele, { account }: { account: string }) => {
        const total = await clientele.accounts.recount(account)
        return { json: { accountId: account, total }, text: `Users: ${total}` }
      }),
    )
}
