import { accounts } from './english/accounts.ts'
import { charts } from './english/charts.ts'
import { events } from './english/events.ts'
import { issuers } from './english/issuers.ts'
import { keys } from './english/keys.ts'
import { overview } from './english/overview.ts'
import { pager } from './english/pager.ts'
import { policy } from './english/policy.ts'
import { problems } from './english/problems.ts'
import { reference } from './english/reference.ts'
import { settings } from './english/settings.ts'
import { shell } from './english/shell.ts'
import { signIn } from './english/sign-in.ts'
import { signingKeys } from './english/signing-keys.ts'
import { transfer } from './english/transfer.ts'
import { user } from './english/user.ts'
import { users } from './english/users.ts'
import { webhooks } from './english/webhooks.ts'
import { words } from './english/words.ts'

/**
 * Every word of the console, by the screen that it stands on. Another language is another folder with the same files.
 */
export const english = {
  product: 'Clientele',
  words,
  problems,
  pager,
  shell,
  signIn,
  charts,
  overview,
  users,
  user,
  events,
  webhooks,
  transfer,
  reference,
  accounts,
  keys,
  issuers,
  signingKeys,
  policy,
  settings,
}
