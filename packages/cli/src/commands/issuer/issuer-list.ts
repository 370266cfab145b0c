import type { Command } from 'commander'
import { formatIssuers } from '../../format-issuers.ts'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addIssuerList(parent: Command): void {
  parent
    .command('list')
    .description('show the issuers that an account trusts, without their secrets')
    .addOption(idOption('account'))
    .addHelpText('after', '\nExample: clientele issuer list --account ID')
    .action(
      withClientele('look', async (clientele, { account }: { account: string }) => {
        // Throws for an unknown id: an empty list would look like an account without trusted issuers.
        await clientele.accounts.find(account)
        const issuers = await clientele.trustedIssuers.list(account)
        return { json: { issuers }, text: formatIssuers(issuers) }
      }),
    )
}
