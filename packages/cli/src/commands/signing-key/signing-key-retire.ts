import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  key: string
}

export function addSigningKeyRetire(parent: Command): void {
  parent
    .command('retire')
    .description(
      'stop signing with a key, for instance after a change of algorithm; it verifies until its last token expires',
    )
    .addOption(idOption('account'))
    .requiredOption('--key <id>', "the key's id")
    .addHelpText('after', '\nExample: clientele signing-key retire --account ID --key ID')
    .action(
      withClientele('change', async (clientele, { account, key }: Options) => {
        await clientele.signingKeys.retire(account, key)
        return { json: { id: key, retired: true }, text: `Retired: ${key}` }
      }),
    )
}
