import type { Command } from 'commander'
import { withSigningKeys } from '../with-clientele.ts'

export function addSigningKeyRemove(parent: Command): void {
  parent
    .command('remove')
    .description('end every token of a signing key that has become known to others')
    .requiredOption('--key <id>', "the key's id")
    .action(
      withSigningKeys('change', async (open, { key }: { key: string }) => {
        await (await open()).signingKeys.remove(key)
        return { json: { id: key, removed: true }, text: `Removed: ${key}` }
      }),
    )
}
