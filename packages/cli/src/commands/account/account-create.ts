import type { Command } from 'commander'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  name: string
  allowedRole?: string[]
}

export function addAccountCreate(parent: Command): void {
  parent
    .command('create')
    .description('create an account and its first API key, which is shown only once')
    .requiredOption('--name <name>', 'the name of the account')
    .option('--allowed-role <role...>', 'allow only these roles for its users')
    .addHelpText('after', '\nExample: clientele account create --name Acme')
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
