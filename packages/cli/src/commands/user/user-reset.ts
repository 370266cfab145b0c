import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

/** In characters, where the account asks for no more */
const shortest = 20

export function addUserReset(parent: Command): void {
  parent
    .command('reset')
    .description('set a new random password, which is shown only once, and end all sessions')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addHelpText(
      'after',
      '\nExample: clientele user reset --account ID --id ID\n\nSecond factors and passkeys stay. With a mail server, users can request a reset themselves.',
    )
    .action(
      withClientele('change', async (clientele, options: { account: string; id: string }) => {
        const { policy } = await clientele.accounts.find(options.account)
        const length = Math.max(shortest, policy.minPasswordLength ?? 0)
        const password = randomBytes(length).toString('base64url').slice(0, length)
        const { user } = await clientele.users.patch(options.account, options.id, { password })
        return {
          json: { userId: user.id, password },
          text: `User: ${user.id} (${user.email})\nPassword: ${password}`,
        }
      }),
    )
}
