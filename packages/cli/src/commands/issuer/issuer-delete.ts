import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addIssuerDelete(parent: Command): void {
  parent
    .command('delete')
    .description('stop trusting an issuer: its tokens are refused within seconds')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'issuer'))
    .addHelpText('after', '\nExample: clientele issuer delete --account ID --id ID')
    .action(
      withClientele(
        'change',
        async (clientele, { account, id }: { account: string; id: string }) => {
          await clientele.trustedIssuers.delete(account, id)
          return { json: { id, deleted: true }, text: `Deleted: ${id}` }
        },
      ),
    )
}
