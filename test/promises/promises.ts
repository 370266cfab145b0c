import { promisesOfConnections } from './of-connections.ts'
import { promisesOfConsole } from './of-console.ts'
import { promisesOfData } from './of-data.ts'
import { promisesOfEmailChanges } from './of-email-changes.ts'
import { promisesOfHooks } from './of-hooks.ts'
import { promisesOfLoad } from './of-load.ts'
import { promisesOfOutbound } from './of-outbound.ts'
import { promisesOfPasskeys } from './of-passkeys.ts'
import { promisesOfPasswordsKeys } from './of-passwords-and-keys.ts'
import { promisesOfPersonalData } from './of-personal-data.ts'
import { promisesOfReadme } from './of-readme.ts'
import { promisesOfScim } from './of-scim.ts'
import { promisesOfServerEvents } from './of-server-and-events.ts'
import { promisesOfSignIn } from './of-sign-in.ts'
import { promisesOfSignInCodes } from './of-sign-in-codes.ts'
import { promisesOfTokens } from './of-tokens.ts'
import { promisesOfTools } from './of-tools.ts'
import type { ProvenPromise } from './promise.ts'

/** What the documents promise, each with the test that finds it broken. */
export const promises: readonly ProvenPromise[] = [
  ...promisesOfConnections,
  ...promisesOfConsole,
  ...promisesOfData,
  ...promisesOfEmailChanges,
  ...promisesOfHooks,
  ...promisesOfLoad,
  ...promisesOfOutbound,
  ...promisesOfPasskeys,
  ...promisesOfPasswordsKeys,
  ...promisesOfPersonalData,
  ...promisesOfReadme,
  ...promisesOfScim,
  ...promisesOfServerEvents,
  ...promisesOfSignIn,
  ...promisesOfSignInCodes,
  ...promisesOfTokens,
  ...promisesOfTools,
]
