import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addUserExpirePassword(parent: Command): void {
  parent
    .command('expire-password')
    .description('make a user choose another password at the next sign-in with it; sessions go on')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addHelpText('after', '\nExample: clientele user expire-password --account ID --id ID')
    .action(
      withClientele('change', async (clientele, options: { account: string; id: string }) => {
        const { account, id } = options
        const { user } = await clientele.users.find(account, id)
        await clientele.users.expirePassword(account, id)
        return {
          json: { userId: id, passwordExpired: true },
          text: `The next sign-in of ${id} (${user.email}) with the password asks for another one.`,
        }
      }),
    )
}
