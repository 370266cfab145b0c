import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  id: string
}

const whoSends = 'A running server sends it; clientele webhook attempts shows how it went.'

export function addWebhookTest(parent: Command): void {
  parent
    .command('test')
    .description('send a test message to an endpoint, once')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'webhook'))
    .addHelpText('after', '\nExample: clientele webhook test --account ID --id ID')
    .action(
      withClientele('change', async (clientele, { account, id }: Options) => {
        await clientele.webhooks.test(account, id)
        return { json: { id, queued: true }, text: `Queued: a test message. ${whoSends}` }
      }),
    )
}

export function addWebhookReplay(parent: Command): void {
  parent
    .command('replay')
    .description('send every event after a cursor again, with the same ids')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'webhook'))
    .requiredOption('--after <cursor>', 'a cursor of the feed, as GET /client/event returns it')
    .addHelpText('after', '\nExample: clientele webhook replay --account ID --id ID --after CURSOR')
    .action(
      withClientele('change', async (clientele, options: Options & { after: string }) => {
        const { account, id, after } = options
        await clientele.webhooks.replay(account, id, { after })
        return { json: { id, queued: true }, text: `Queued: every event after it. ${whoSends}` }
      }),
    )
}

export function addWebhookDelete(parent: Command): void {
  parent
    .command('delete')
    .description('delete an endpoint and its waiting deliveries')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'webhook'))
    .addHelpText('after', '\nExample: clientele webhook delete --account ID --id ID')
    .action(
      withClientele('change', async (clientele, { account, id }: Options) => {
        const { url } = await clientele.webhooks.find(account, id)
        await clientele.webhooks.delete(account, id)
        return { json: { id, deleted: true }, text: `Deleted: ${id} (${url})` }
      }),
    )
}
