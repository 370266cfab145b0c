import type { Account } from '@clientele/core'
import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { withClientele } from '../../with-clientele.ts'

export function addAccountList(parent: Command): void {
  parent
    .command('list')
    .description('show every account')
    .addHelpText('after', '\nExample: clientele account list --json')
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

function describe({ id, name, disabledAt, createdAt }: Account) {
  const status = disabledAt === null ? 'active' : 'disabled'
  return { id, name, status, created: createdAt.toISOString().slice(0, 10) }
}
