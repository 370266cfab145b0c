import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { parseExpiry } from '../../parse-expiry.ts'
import { parseSeconds } from '../../parse-seconds.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  key: string
  overlap?: number
  expires?: Date
}

export function addKeyRotate(parent: Command): void {
  parent
    .command('rotate')
    .description(
      'replace a key by a new one, which is shown only once; the old key ends after an overlap',
    )
    .addOption(idOption('account'))
    .addOption(idOption('key'))
    .option(
      '--overlap <seconds>',
      'how long the old key still works; a day by default',
      parseSeconds,
    )
    .option('--expires <time>', 'when the new key expires: 90d, 12h, 2030-01-31', parseExpiry)
    .addHelpText('after', '\nExample: clientele key rotate --account ID --key ID')
    .action(
      withClientele('change', async (clientele, { account, key, overlap, expires }: Options) => {
        const created = await clientele.apiKeys.rotate(account, key, {
          overlapSeconds: overlap,
          expiresAt: expires,
        })
        return { json: created, text: `Id: ${created.id}\nAPI key: ${created.apiKey}` }
      }),
    )
}
