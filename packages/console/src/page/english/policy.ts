export const policy = {
  lead: 'What this account demands of its users’ sign-ins and passwords. It can only be stricter than the service.',
  methodNames: {
    password: 'Password',
    passkey: 'Passkey',
    id_token: 'ID token of a trusted issuer',
    email_code: 'Code or link by e-mail',
  },
  methods: 'Signing in',
  numbers: {
    min_password_length: {
      label: 'Shortest password',
      hint: 'Characters, 6 to 64. It counts when a password is set: passwords that exist still work.',
    },
    session_ttl_seconds: {
      label: 'Life of an unused session',
      hint: 'Seconds. Empty: as the service has it.',
    },
    session_max_seconds: {
      label: 'Longest life of a session',
      hint: 'Seconds. Empty: as the service has it.',
    },
  },
  passwordRequired: 'A new user needs a password',
  passwordRequiredHint: 'Without one, a user signs in by other means, or after a reset.',
  passwords: 'Passwords',
  rememberDevice: 'Days without a second factor on a remembered device',
  rememberDeviceHint: '0 to 90. 0: every sign-in asks for the second factor.',
  secondFactor: 'A second factor is required',
  secondFactorHint:
    'After a password, a mailed code or an ID token. A user who has none enrols one at the next sign-in; a passkey alone is both factors.',
  sessions: 'Sessions',
  sessionsGoOn:
    'The next sign-in obeys a change. Open sessions go on: to end those of a user, open the user’s page.',
  title: 'Sign-in policy',
  verifiedEmail: 'A password needs a verified e-mail address',
  verifiedEmailHint: 'Users whose address is not verified get email_not_verified.',
}
