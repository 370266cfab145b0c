import { openDrizzleSession } from './drizzle-session.ts'
import type { KyselyDialectName } from './host-kysely.ts'
import type { HostSession } from './host-session.ts'
import { openKyselySession } from './kysely-session.ts'
import { openPrismaSession } from './prisma-session.ts'

/**
 * Looks which library's transaction a handle is, by its structure: any version of the host's will do. Undefined for what
 * is of none of them.
 *
 * @throws ClienteleError `transaction_invalid` for what such a library has, but is no transaction
 */
export function findSession(handle: unknown, dialect: KyselyDialectName): HostSession | undefined {
  if (typeof handle !== 'object' || handle === null) return undefined
  return (
    openKyselySession(handle, dialect) ??
    openDrizzleSession(handle) ??
    openPrismaSession(handle, dialect)
  )
}
