import type { Account } from '@clientele/core'
import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatAccount } from './format-account.ts'

export function addAccountList(parent: Command): void {
  parent
    .command('list')
    .description('show every account')
    .addHelpText('after', '\nExample: clientele account list --json')
    .action(
      withClientele('look', async (clientele) => {
        const accounts = await clientele.accounts.list()
        return { json: { accounts }, text: formatTable(formatAccounts(accounts)) }
      }),
    )
}

function formatAccounts(accounts: readonly Account[]) {
  const rows = accounts.map(formatAccount)
  const filled = new Set(
    rows.flatMap(({ ifAny }) =>
      Object.entries(ifAny).flatMap(([name, value]) => (value === null ? [] : [name])),
    ),
  )
  return rows.map(({ always, ifAny }) => ({
    ...always,
    ...Object.fromEntries(Object.entries(ifAny).filter(([name]) => filled.has(name))),
  }))
}
