import type { Command } from 'commander'
import { formatSigningKeys } from '../format-signing-keys.ts'
import { withSigningKeys } from '../with-clientele.ts'

export function addSigningKeyRotate(parent: Command): void {
  parent
    .command('rotate')
    .description('sign with a new key; the old one verifies until its last token is dead')
    .action(
      withSigningKeys(async (clientele) => {
        await clientele.signingKeys.rotate()
        const keys = await clientele.signingKeys.list()
        return { json: { keys }, text: formatSigningKeys(keys) }
      }),
    )
}
