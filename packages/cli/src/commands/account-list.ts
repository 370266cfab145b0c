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
        const rows = accounts.map(({ id, name, created_at, disabled_at, allowedRoles }) => ({
          id,
          name,
          status: disabled_at === null ? 'active' : 'disabled',
          created: created_at.slice(0, 10),
          allowed_roles: allowedRoles,
        }))
        return { json: { accounts }, text: formatTable(rows) }
      }),
    )
}
