import type { Command } from 'commander'
import { formatSigningKeys } from '../../format-signing-keys.ts'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addSigningKeyList(parent: Command): void {
  parent
    .command('list')
    .description("show an account's keys that sign or verify tokens, without their private parts")
    .addOption(idOption('account'))
    .addHelpText('after', '\nExample: clientele signing-key list --account ID')
    .action(
      withClientele('look', async (clientele, { account }: { account: string }) => {
        const keys = await clientele.signingKeys.list(account)
        return { json: { keys }, text: formatSigningKeys(keys) }
      }),
    )
}
