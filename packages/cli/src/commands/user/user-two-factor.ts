import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

export function addUserTwoFactor(parent: Command): void {
  const twoFactor = parent.command('two-factor').description("a user's second factors")
  twoFactor
    .command('remove')
    .description('remove every second factor and the recovery codes: the password alone signs in')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addHelpText(
      'after',
      '\nExample: clientele user two-factor remove --account ID --id ID\n\nMake sure first that the request comes from the user. Sessions stay, and so do passkeys that sign in on their own.',
    )
    .action(
      withClientele('change', async (clientele, options: { account: string; id: string }) => {
        const { account, id } = options
        const { user } = await clientele.users.find(account, id)
        const read = async () => ({
          ...(await clientele.mfa.read(account, id)),
          passkeys: (await clientele.passkeys.list(account, id)).map((passkey) => passkey.id),
        })
        const before = JSON.stringify(await read())
        await clientele.mfa.remove(account, id)
        const removed = JSON.stringify(await read()) !== before
        return {
          json: { userId: id, removed },
          text: removed
            ? `Removed: the second factors of ${id} (${user.email})`
            : `Nothing to remove: ${id} (${user.email}) has no second factor`,
        }
      }),
    )
}
