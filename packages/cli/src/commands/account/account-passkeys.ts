import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

interface PasskeysOptions {
  account: string
  rpId: string
  rpName: string
  origin: string[]
  requireToken?: true
  force?: true
}

export function addAccountPasskeys(parent: Command): void {
  parent
    .command('passkeys')
    .description("set the site for an account's passkeys; without it the account has no passkeys")
    .addOption(idOption('account'))
    .requiredOption('--rp-id <domain>', 'the site: a domain, such as example.com')
    .requiredOption('--rp-name <name>', 'the name of the site in browser dialogs')
    .requiredOption(
      '--origin <origin...>',
      'an origin of its pages, such as https://example.com; up to 20',
    )
    .option('--require-token', "require the user's own token to enrol a passkey")
    .option('--force', 'change --rp-id although passkeys are enrolled; these stop working')
    .addHelpText(
      'after',
      '\nExample: clientele account passkeys --account ID --rp-id example.com --rp-name Acme --origin https://example.com',
    )
    .action(
      withClientele('change', async (clientele, options: PasskeysOptions) => {
        const { rpId, rpName, origin: origins, requireToken = false, force = false } = options
        const settings = { rpId, rpName, origins, requireToken }
        const account = await clientele.accounts.setPasskeys(options.account, settings, { force })
        return { json: { account }, text: `Passkeys of ${account.name}: ${rpId} (${rpName})` }
      }),
    )
}
