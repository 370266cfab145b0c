import type { Command } from 'commander'
import { withClientele } from '../with-clientele.ts'

export function addSigningKeyRetire(parent: Command): void {
  parent
    .command('retire')
    .description(
      'sign no more with a key whose algorithm is out of use; it verifies until its last token is dead',
    )
    .requiredOption('--key <id>', "the key's id")
    .action(
      withClientele('change', async (clientele, { key }: { key: string }) => {
        await clientele.signingKeys.retire(key)
        return { json: { id: key, retired: true }, text: `Retired: ${key}` }
      }),
    )
}
