import type { ApiKey } from '@clientele/core'
import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addKeyList(parent: Command): void {
  parent
    .command('list')
    .description("show an account's API keys, without their secrets")
    .addOption(idOption('account'))
    .addHelpText('after', '\nExample: clientele key list --account ID')
    .action(
      withClientele('look', async (clientele, { account }: { account: string }) => {
        // Throws for an unknown id: an empty list would look like an account without keys.
        await clientele.accounts.find(account)
        const keys = await clientele.apiKeys.list(account)
        return { json: { keys }, text: formatTable(keys.map(describe)) }
      }),
    )
}

function describe({ prefix, expiresAt, revokedAt, ...key }: ApiKey) {
  const { id, name, scopes, createdAt, lastUsedAt } = key
  const status = revokedAt !== null ? 'revoked' : isPast(expiresAt) ? 'expired' : 'active'
  return {
    ...{ id, name, status, prefix, scopes },
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    last_used_at: lastUsedAt,
  }
}

function isPast(time: Date | null): boolean {
  return time !== null && time.getTime() <= Date.now()
}
