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
    .description('end every token of a signing key that has become known to others')
    .addOption(idOption('account'))
    .requiredOption('--key <id>', "the key's id")
    .action(
      withClientele('change', async (clientele, { account, key }: Options) => {
        await clientele.signingKeys.remove(account, key)
        return { json: { id: key, removed: true }, text: `Removed: ${key}` }
      }),
    )
}
