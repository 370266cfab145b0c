import type { Account } from '@clientele/core'
import type { Command } from 'commander'
import { formatTable } from '../format-table.ts'
import { withClientele } from '../with-clientele.ts'

export function addAccountList(parent: Command): void {
  parent
    .command('list')
    .description('show every account')
    .action(
      withClientele('look', async (clientele) => {
        const accounts = await clientele.accounts.list()
        const hasLimits = accounts.some(({ allowedRoles }) => allowedRoles !== null)
        const rows = accounts.map((account) => ({
          ...describe(account),
          ...(hasLimits && { allowed_roles: account.allowedRoles }),
        }))
        return { json: { accounts }, text: formatTable(rows) }
      }),
    )
}

function describe({ id, name, disabled_at, created_at }: Account) {
  const status = disabled_at === null ? 'active' : 'disabled'
  return { id, name, status, created: created_at.slice(0, 10) }
}
