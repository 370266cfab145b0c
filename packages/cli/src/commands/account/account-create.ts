import type { Command } from 'commander'
import { withClientele } from '../../with-clientele.ts'
import { addNameOptions, type NameOptions, readNames } from './name-options.ts'

interface Options extends NameOptions {
  name: string
  allowedRole?: string[]
}

export function addAccountCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description('create an account and its first API key, which is shown only once')
    .requiredOption('--name <name>', 'the name of the account')
  addNameOptions(command)
    .option('--allowed-role <role...>', 'allow only these roles for its users')
    .addHelpText(
      'after',
      '\nExample: clientele account create --name Acme --slug acme --metadata plan=pro',
    )
    .action(
      withClientele('make', async (clientele, options: Options) => {
        const { name, allowedRole, ...given } = options
        const account = await clientele.accounts.create({
          name,
          ...readNames(given),
          allowedRoles: allowedRole ?? null,
        })
        const { apiKey } = await clientele.apiKeys.create(account.id)
        return {
          json: { account, apiKey },
          text: `Account: ${account.id} (${account.name})\nAPI key: ${apiKey}`,
        }
      }),
    )
}
