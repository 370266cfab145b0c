import { type Command, Option } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { parseUpTo } from '../../parse-up-to.ts'
import { withClientele } from '../../with-clientele.ts'
import { formatUser } from './format-user.ts'

interface ListOptions {
  account: string
  search?: string
  role?: string
  active?: true
  deactivated?: true
  limit: number
  page: number
}

export function addUserList(parent: Command): void {
  parent
    .command('list')
    .description('show the users of an account, the newest first')
    .addOption(idOption('account'))
    .option('--search <text>', 'the beginning of a word of the name, or of the e-mail address')
    .option('--role <role>', 'only users with this role')
    .addOption(new Option('--active', 'only active users').conflicts('deactivated'))
    .option('--deactivated', 'only deactivated users')
    .addOption(
      new Option('--limit <number>', 'how many users to show, up to 100')
        .argParser(parseUpTo(100))
        .default(20),
    )
    .addOption(
      new Option('--page <number>', 'the number of the page')
        .argParser(parseUpTo(999_999_999))
        .default(1),
    )
    .addHelpText('after', '\nExample: clientele user list --account ID --search ada')
    .action(
      withClientele('look', async (clientele, options: ListOptions) => {
        const { account, search, role, active, deactivated, limit, page } = options
        // Throws for an unknown id: an empty list would look like an account without users.
        await clientele.accounts.find(account)
        const { data, total } = await clientele.users.list(account, {
          ...{ limit, page, sort: '-createdAt' },
          ...(search !== undefined && { q: search }),
          ...(role !== undefined && { role }),
          ...(active && { isActive: true }),
          ...(deactivated && { isActive: false }),
        })
        const shown = `${data.length} of ${total} ${total === 1 ? 'user' : 'users'}, page ${page}`
        return {
          json: { users: data, page, limit, total },
          text: total === 0 ? 'none' : `${formatTable(data.map(formatUser))}\n${shown}`,
        }
      }),
    )
}
