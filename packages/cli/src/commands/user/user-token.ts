import type { UserToken } from '@clientele/core'
import type { Command } from 'commander'
import { formatTable } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { parseExpiry } from '../../parse-expiry.ts'
import { withClientele } from '../../with-clientele.ts'

interface UserOptions {
  account: string
  id: string
}
interface CreateOptions extends UserOptions {
  name: string
  scope?: string[]
  expires?: Date
}

export function addUserToken(parent: Command): void {
  const token = parent.command('token').description("a user's own tokens, for programs")
  addCreate(token)
  addList(token)
  addRevoke(token)
}

function addCreate(parent: Command): void {
  parent
    .command('create')
    .description('make a token that belongs to a user, which is shown only once')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .requiredOption('--name <name>', 'the name of the token')
    .option('--scope <scope...>', "the application's own words for what it may do")
    .option(
      '--expires <time>',
      'when it expires, 366 days from now at most: 90d, 12h, or a time',
      parseExpiry,
    )
    .addHelpText(
      'after',
      '\nExample: clientele user token create --account ID --id ID --name deploy --scope deploy --expires 90d',
    )
    .action(
      withClientele('change', async (clientele, options: CreateOptions) => {
        const { account, id, name, scope, expires } = options
        const created = await clientele.userTokens.create(account, id, {
          name,
          scopes: scope,
          expiresIn: expires && Math.ceil((expires.getTime() - Date.now()) / 1000),
        })
        return { json: created, text: `Id: ${created.id}\nToken: ${created.token}` }
      }),
    )
}

function addList(parent: Command): void {
  parent
    .command('list')
    .description("show a user's own tokens, without their texts")
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addHelpText('after', '\nExample: clientele user token list --account ID --id ID')
    .action(
      withClientele('look', async (clientele, { account, id }: UserOptions) => {
        const tokens = await clientele.userTokens.list(account, id)
        return { json: { tokens }, text: formatTable(tokens.map(describe)) }
      }),
    )
}

function describe({ id, name, scopes, prefix, ...times }: UserToken) {
  const { createdAt, expiresAt, lastUsedAt } = times
  return {
    ...{ id, name, prefix, scopes },
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
  }
}

function addRevoke(parent: Command): void {
  parent
    .command('revoke')
    .description("revoke one of a user's own tokens: it is refused from the next request on")
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addOption(idOption('token'))
    .addHelpText('after', '\nExample: clientele user token revoke --account ID --id ID --token ID')
    .action(
      withClientele('change', async (clientele, options: UserOptions & { token: string }) => {
        const { account, id, token } = options
        await clientele.userTokens.revoke(account, id, token)
        return { json: { id: token, revoked: true }, text: `Revoked: ${token}` }
      }),
    )
}
