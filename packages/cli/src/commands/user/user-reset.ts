import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

/** In bytes: 20 characters */
const size = 15

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
        const password = randomBytes(size).toString('base64url')
        const { user } = await clientele.users.patch(options.account, options.id, { password })
        return {
          json: { userId: user.id, password },
          text: `User: ${user.id} (${user.email})\nPassword: ${password}`,
        }
      }),
    )
}
