import type { Scope } from '@clientele/core'
import { type Command, Option } from 'commander'
import { idOption } from '../../id-option.ts'
import { parseExpiry } from '../../parse-expiry.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  name?: string
  scope?: Scope[]
  expires?: Date
}

const scopes = Object.keys({
  'users:read': true,
  'users:write': true,
  'tokens:validate': true,
  'tokens:issue': true,
  'events:read': true,
  'webhooks:write': true,
  'users:impersonate': true,
  scim: true,
} satisfies Record<Scope, true>)

export function addKeyCreate(parent: Command): void {
  parent
    .command('create')
    .description('create an API key, which is shown only once')
    .addOption(idOption('account'))
    .option('--name <name>', 'the name of the key')
    .addOption(
      new Option(
        '--scope <scope...>',
        'the permissions of the key; without this option it has all of them but users:impersonate and scim',
      ).choices(scopes),
    )
    .option('--expires <time>', 'when it expires: 90d, 12h, 2030-01-31', parseExpiry)
    .addHelpText(
      'after',
      '\nExample: clientele key create --account ID --name backend --scope users:read tokens:validate --expires 90d',
    )
    .action(
      withClientele('change', async (clientele, { account, name, scope, expires }: Options) => {
        const created = await clientele.apiKeys.create(account, {
          name,
          scopes: scope,
          expiresAt: expires,
        })
        return { json: created, text: `Id: ${created.id}\nAPI key: ${created.apiKey}` }
      }),
    )
}
