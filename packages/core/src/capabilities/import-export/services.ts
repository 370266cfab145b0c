import type { FairLimit } from '../../base/runtime/fair-limit.ts'
import type { BaseServices } from '../../base/services.ts'
import type { AccountsServices } from '../accounts/services.ts'
import type { EventsServices } from '../events/services.ts'
import type { InvitationsServices } from '../invitations/services.ts'
import type { PasswordsServices } from '../passwords/services.ts'
import type { UsersServices } from '../users/services.ts'
import type { ImportTurns } from './import-turns.ts'
import type { ImportExportStore } from './store.ts'

/** The services that this room needs. */
export type ImportExportServices = BaseServices &
  AccountsServices &
  EventsServices &
  InvitationsServices &
  PasswordsServices &
  UsersServices & {
    importTurns: ImportTurns
    /** The pages of exports that a process reads and renders at a time */
    exportTurns: FairLimit
    /** The imports and exports over HTTP that run for an account */
    transfers: FairLimit
    repository: { importExport: ImportExportStore }
  }
