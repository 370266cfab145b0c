import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addKeyRevoke(parent: Command): void {
  parent
    .command('revoke')
    .description('revoke an API key: it is refused from the next request on')
    .addOption(idOption('account'))
    .addOption(idOption('key'))
    .addHelpText('after', '\nExample: clientele key revoke --account ID --key ID')
    .action(
      withClientele(
        'change',
        async (clientele, { account, key }: { account: string; key: string }) => {
          await clientele.apiKeys.revoke(account, key)
          return { json: { id: key, revoked: true }, text: `Revoked: ${key}` }
        },
      ),
    )
}
