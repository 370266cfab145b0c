/** The groups of operations, each with what it is for. */
export const tags = {
  'Client users':
    "The account's end users: create, list, read, change, deactivate and delete them. A user has one ETag a version.",
  Tokens: 'Whether the token that a user brought is valid now, and whose it is.',
  'Signing in':
    'From a password, and a second factor where one is enrolled, to a session: an access token and a refresh token.',
  'Second factors': "A user's authenticator app, mailed codes and recovery codes.",
  Sessions: "What a user's sign-ins have left open: list sessions and end them.",
  Passkeys:
    "A user's passkeys (WebAuthn): enrol, list, rename and remove them. Signing in with one is below Signing in.",
  Identities: 'Who a user is at other issuers, for signing in with their ID tokens.',
  'Passwords and addresses':
    'Forgotten passwords and unverified addresses: a token is mailed, and the user brings it back.',
  'Personal data':
    'What a person may ask for: to see all that is kept about them, and to be forgotten.',
  Events: 'What has happened, each event once, in the order of the feed.',
  Webhooks:
    'Endpoints that events are sent to, signed as Standard Webhooks 1.0 says, again and again until they are received.',
  Console: 'What the page of the console asks for.',
  Documents:
    'The public keys that verify tokens, and this description. Public: they need no API key.',
} as const

export type Tag = keyof typeof tags
