import type { Mail } from '@clientele/core'
import type { Command } from 'commander'
import { idOption } from '../../id-option.ts'
import { openClientele, withRepository } from '../../with-clientele.ts'

interface Options {
  account: string
  id: string
}

/** Without a mail server an operator hands the token on; with one, the user's own request is enough. */
export function addUserReset(parent: Command): void {
  parent
    .command('reset')
    .description(
      "print a token with which a user's password can be set; nothing changes until it is used",
    )
    .addOption(idOption('account'))
    .addOption(idOption('id', 'user'))
    .addHelpText(
      'after',
      '\nThe token takes the place of the mail to the user: send it to no other person. Your application hands it, with the\n' +
        'new password, to POST /client/user/auth/password/reset.',
    )
    .action(
      withRepository('change', async (repository, { account, id }: Options) => {
        const { promise: sent, resolve } = Promise.withResolvers<Mail>()
        const sendMail = async (mail: Mail) => resolve(mail)
        const clientele = await openClientele(repository, 'change', { sendMail })
        const { user } = await clientele.users.find(account, id)
        await clientele.auth.forgotPassword(account, { email: user.email })
        // The mail is made after the answer; closing waits for it.
        await clientele.close()
        const mail = await Promise.race([sent, undefined])
        if (mail?.kind !== 'password_reset')
          throw new Error('No token was made: the user is deactivated, or was deleted meanwhile.')
        const { token, expiresInSeconds } = mail
        return {
          json: { userId: user.id, token, expiresInSeconds },
          text: `Token for ${user.email}, valid for ${expiresInSeconds / 60} minutes: ${token}`,
        }
      }),
    )
}
