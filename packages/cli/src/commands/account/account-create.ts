import type { Command } from 'commander'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  name: string
  allowedRole?: string[]
}

export function addAccountCreate(parent: Command): void {
  parent
    .command('create')
    .description('make an account with its first API key, which is shown this once')
    .requiredOption('--name <name>', 'what the account is called')
    .option('--allowed-role <role...>', 'limit the roles that its users can have')
    .action(
      withClientele('make', async (clientele, { name, allowedRole }: Options) => {
        const account = await clientele.accounts.create({ name, allowedRoles: allowedRole ?? null })
        const { apiKey } = await clientele.apiKeys.create(account.id)
        return {
          json: { account, apiKey },
          text: `Account: ${account.id} (${account.name})\nAPI key: ${apiKey}`,
        }
      }),
    )
}
