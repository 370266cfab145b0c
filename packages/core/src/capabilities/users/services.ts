import type { KeyedMutex } from '../../base/runtime/keyed-mutex.ts'
import type { LargeResponses } from '../../base/runtime/large-responses.ts'
import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { HooksServices } from '../hooks/services.ts'
import type { IdempotencyServices } from '../idempotency/services.ts'
import type { PasswordsServices } from '../passwords/services.ts'
import type { SendMail } from './mail.ts'
import type { UserStore } from './store.ts'
import type { UserSchemas } from './user-input.ts'

/** The services that this room needs. */
export type UsersServices = BaseServices &
  AccountsServices &
  EventsServices &
  HooksServices &
  IdempotencyServices &
  PasswordsServices & {
    repository: { users: UserStore }
    /** Whether passwords are hashed before other work, as in transactions of the host's */
    hashesFirst: boolean
    /** The schemas of users in requests; they depend on the password policy */
    userSchemas: UserSchemas
    mutex: KeyedMutex
    largeResponses: LargeResponses
    /** Sends e-mails; undefined: not configured */
    sendMail: SendMail | undefined
  }
