import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  key: string
}

export function addSigningKeyRemove(parent: Command): void {
  parent
    .command('remove')
    .description('remove a stolen signing key, which ends all of its tokens')
    .addOption(idOption('account'))
    .requiredOption('--key <id>', "the key's id")
    .addHelpText('after', '\nExample: clientele signing-key remove --account ID --key ID')
    .action(
      withClientele('change', async (clientele, { account, key }: Options) => {
        await clientele.signingKeys.remove(account, key)
        return { json: { id: key, removed: true }, text: `Removed: ${key}` }
      }),
    )
}
