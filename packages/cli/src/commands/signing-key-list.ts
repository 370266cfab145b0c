import type { Command } from 'commander'
import { formatSigningKeys } from '../format-signing-keys.ts'
import { withSigningKeys } from '../with-clientele.ts'

export function addSigningKeyList(parent: Command): void {
  parent
    .command('list')
    .description('show the keys that sign or verify tokens, without their private parts')
    .action(
      withSigningKeys('look', async (open) => {
        const keys = await (await open()).signingKeys.list()
        return { json: { keys }, text: formatSigningKeys(keys) }
      }),
    )
}
