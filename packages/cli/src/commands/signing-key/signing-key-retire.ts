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
      'sign no more with a key whose algorithm is out of use; it verifies until its last token is dead',
    )
    .addOption(idOption('account'))
    .requiredOption('--key <id>', "the key's id")
    .action(
      withClientele('change', async (clientele, { account, key }: Options) => {
        await clientele.signingKeys.retire(account, key)
        return { json: { id: key, retired: true }, text: `Retired: ${key}` }
      }),
    )
}
