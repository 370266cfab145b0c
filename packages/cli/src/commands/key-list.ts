import type { ApiKey } from '@clientele/core'
import type { Command } from 'commander'
import { formatTable } from '../format-table.ts'
import { idOption } from '../id-option.ts'
import { withClientele } from '../with-clientele.ts'

export function addKeyList(parent: Command): void {
  parent
    .command('list')
    .description("show an account's API keys, without their secrets")
    .addOption(idOption('account'))
    .action(
      withClientele('look', async (clientele, { account }: { account: string }) => {
        // An id that is not there is a mistake, not an account without keys.
        await clientele.accounts.find(account)
        const keys = await clientele.apiKeys.list(account)
        return { json: { keys }, text: formatTable(keys.map(describe)) }
      }),
    )
}

function describe({ prefix, expires_at, revoked_at, ...key }: ApiKey) {
  const { id, name, scopes, created_at, last_used_at } = key
  const status = revoked_at !== null ? 'revoked' : isPast(expires_at) ? 'expired' : 'active'
  return { id, name, status, prefix, scopes, created_at, expires_at, revoked_at, last_used_at }
}

function isPast(time: string | null): boolean {
  return time !== null && Date.parse(time) <= Date.now()
}
