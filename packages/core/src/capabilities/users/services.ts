import type { KeyedMutex } from '../../base/runtime/keyed-mutex.ts'
import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { IdempotencyServices } from '../idempotency/services.ts'
import type { PasswordsServices } from '../passwords/services.ts'
import type { SendMail } from './mail.ts'
import type { UserStore } from './store.ts'
import type { UserSchemas } from './user-input.ts'

/** What the actions of this room work with. */
export type UsersServices = BaseServices &
  AccountsServices &
  EventsServices &
  IdempotencyServices &
  PasswordsServices & {
    repository: { users: UserStore }
    /** Whether passwords are hashed before anything is read: in transactions of the host's */
    hashesFirst: boolean
    /** What is sent for users; it depends on the password policy */
    userSchemas: UserSchemas
    mutex: KeyedMutex
    /** How mail is sent; undefined where it is not */
    sendMail: SendMail | undefined
  }
