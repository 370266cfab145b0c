import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

interface CreateOptions {
  account: string
  url: string
  type: string[]
  description: string
}

export function addWebhookCreate(parent: Command): void {
  parent
    .command('create')
    .description('add an endpoint that receives all later events; its secret is shown only once')
    .addOption(idOption('account'))
    .requiredOption('--url <url>', 'where events are sent to: https, on a public address')
    .option('--type <type...>', 'event types, user.created, or groups of them, user.*', ['*'])
    .option('--description <text>', 'your own words about it', '')
    .addHelpText(
      'after',
      "\nExample: clientele webhook create --account ID --url https://example.com/hooks --type 'user.*'",
    )
    .action(
      withClientele('change', async (clientele, options: CreateOptions) => {
        const { account, url, type: types, description } = options
        const webhook = await clientele.webhooks.create(account, { url, types, description })
        return { json: { webhook }, text: `Webhook: ${webhook.id}\nSecret: ${webhook.secret}` }
      }),
    )
}
