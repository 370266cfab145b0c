import type { Webhook, WebhookAttempt } from '@clientele/core'
import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addWebhookList(parent: Command): void {
  parent
    .command('list')
    .description("show an account's endpoints, without their secrets")
    .addOption(idOption('account'))
    .addHelpText('after', '\nExample: clientele webhook list --account ID')
    .action(
      withClientele('look', async (clientele, { account }: { account: string }) => {
        // Throws for an unknown id: an empty list would look like an account without endpoints.
        await clientele.accounts.find(account)
        const webhooks = await clientele.webhooks.list(account)
        return { json: { webhooks }, text: formatTable(webhooks.map(describe)) }
      }),
    )
}

const whereCauseIs =
  'The cause of no_answer is in the log of the server, at LOG_LEVEL=info: "A webhook got no answer."'

export function addWebhookAttempts(parent: Command): void {
  parent
    .command('attempts')
    .description('show the last deliveries to an endpoint, at most 100, the latest first')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'webhook'))
    .addHelpText(
      'after',
      `\nExample: clientele webhook attempts --account ID --id ID\n\n${whereCauseIs}`,
    )
    .action(
      withClientele('look', async (clientele, options: { account: string; id: string }) => {
        const attempts = await clientele.webhooks.listAttempts(options.account, options.id)
        const hasCause = attempts.some(({ reason }) => reason === 'no_answer')
        const hint = hasCause ? `\n${whereCauseIs}` : ''
        return { json: { attempts }, text: formatTable(attempts.map(describeAttempt)) + hint }
      }),
    )
}

function describe({ id, url, types, isActive, disabledReason }: Webhook) {
  const status = isActive ? 'active' : (disabledReason ?? 'off')
  return { id, url, types, status }
}

function describeAttempt(attempted: WebhookAttempt) {
  const { attemptedAt, type, attempt, status, reason, durationMs } = attempted
  return { at: attemptedAt, type, attempt, result: status ?? reason, ms: durationMs }
}
