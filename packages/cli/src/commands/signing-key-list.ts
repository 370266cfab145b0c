import type { Command } from 'commander'
import { formatSigningKeys } from '../format-signing-keys.ts'
import { withClientele } from '../with-clientele.ts'

export function addSigningKeyList(parent: Command): void {
  parent
    .command('list')
    .description('show the keys that sign or verify tokens, without their private parts')
    .action(
      withClientele('look', async (clientele) => {
        const keys = await clientele.signingKeys.list()
        return { json: { keys }, text: formatSigningKeys(keys) }
      }),
    )
}
