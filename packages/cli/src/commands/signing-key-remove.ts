import type { Command } from 'commander'
import { withClientele } from '../with-clientele.ts'

export function addSigningKeyRemove(parent: Command): void {
  parent
    .command('remove')
    .description('end every token of a signing key that has become known to others')
    .requiredOption('--key <id>', "the key's id")
    .action(
      withClientele('change', async (clientele, { key }: { key: string }) => {
        await clientele.signingKeys.remove(key)
        return { json: { id: key, removed: true }, text: `Removed: ${key}` }
      }),
    )
}
