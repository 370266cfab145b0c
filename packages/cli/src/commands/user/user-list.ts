import { type Command, InvalidArgumentError, Option } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
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
    .addOption(numberOption('--limit', 'how many users to show, up to 100', 20, 100))
    .addOption(numberOption('--page', 'the number of the page', 1, 999_999_999))
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

function numberOption(name: string, description: string, usual: number, most: number): Option {
  return new Option(`${name} <number>`, description).default(usual).argParser((text) => {
    if (!/^[1-9][0-9]{0,8}$/.test(text) || Number(text) > most)
      throw new InvalidArgumentError(`Give a number from 1 to ${most}.`)
    return Number(text)
  })
}
