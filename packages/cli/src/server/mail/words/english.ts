import type { Language } from '../language.ts'

export const english: Language = {
  greeting: 'Hello {{name}},',
  mails: {
    two_factor_code: {
      subject: 'Your sign-in code',
      before: 'your sign-in code is:',
      after: [
        'It works once, within {{expires_in_minutes}} minutes.',
        'If you did not try to sign in, another person knows your password: please change it.',
      ],
    },
    sign_in_code: {
      subject: 'Your sign-in code',
      before: 'to sign in, enter this code on the page where you asked for it:',
      after: [
        'It works once, on that page only, within {{expires_in_minutes}} minutes. Do not give it to anybody.',
        'If you did not ask for it, do nothing.',
      ],
    },
    password_reset: {
      subject: 'Reset your password',
      before:
        'we got a request for a new password for {{email}}. If you made it, enter this code where you requested it:',
      after: [
        'It works once, within {{expires_in_minutes}} minutes.',
        'If it was not you, do nothing: your password stays as it is.',
      ],
    },
    email_verification: {
      subject: 'Confirm your e-mail address',
      before:
        'to confirm that {{email}} is your address, enter this code where you were asked for it:',
      after: [
        'It works once, within {{expires_in_hours}} hours.',
        'If you did not expect this mail, do nothing.',
      ],
    },
    invitation: {
      subject: 'You are invited',
      before:
        'an account was made for you, with the address {{email}}. To choose your password, enter this code where you are asked for it:',
      after: [
        'It works once, within {{expires_in_days}} days.',
        'If you did not expect this mail, do nothing.',
      ],
    },
    email_change: {
      subject: 'Confirm your new e-mail address',
      before:
        'to make {{to}} the address of your account, enter this code where you asked for the change:',
      after: [
        'It works once, within {{expires_in_hours}} hours.',
        'If you did not ask for it, do nothing.',
      ],
    },
    email_change_notice: {
      subject: 'Your e-mail address is being changed',
      before:
        'another address is to replace {{email}} in your account. If it was not you, enter this code where you can report it: it stops the change, or takes it back:',
      after: [
        'It works once, within {{expires_in_days}} days.',
        'If you asked for the change, do nothing.',
      ],
    },
  },
}
