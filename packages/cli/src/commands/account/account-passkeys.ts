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
    .description("say which site an account's passkeys are for; without this it has none")
    .addOption(idOption('account'))
    .requiredOption('--rp-id <domain>', 'the site: a domain, such as example.com')
    .requiredOption('--rp-name <name>', 'what browsers call the site')
    .requiredOption('--origin <origin...>', 'of the pages, such as https://example.com: up to 20')
    .option('--require-token', "enrolling a passkey asks for the user's own token")
    .option('--force', 'change --rp-id although passkeys are enrolled, which then do not work')
    .action(
      withClientele('change', async (clientele, options: PasskeysOptions) => {
        const { rpId, rpName, origin: origins, requireToken = false, force = false } = options
        const settings = { rpId, rpName, origins, requireToken }
        const account = await clientele.accounts.setPasskeys(options.account, settings, { force })
        return { json: { account }, text: `Passkeys of ${account.name}: ${rpId} (${rpName})` }
      }),
    )
}
