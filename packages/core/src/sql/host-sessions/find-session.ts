import { openDrizzleSession } from './drizzle-session.ts'
import type { KyselyDialectName } from './host-kysely.ts'
import type { HostSession } from './host-session.ts'
import { openKyselySession } from './kysely-session.ts'
import { openPrismaSession } from './prisma-session.ts'

/**
 * Finds the library that a handle's transaction belongs to, by its structure, so that any version of the library works.
 * Undefined for other objects.
 *
 * @throws ClienteleError `transaction_invalid` for an object of such a library that is not a transaction
 */
export function findSession(handle: unknown, dialect: KyselyDialectName): HostSession | undefined {
  if (typeof handle !== 'object' || handle === null) return undefined
  return (
    openKyselySession(handle, dialect) ??
    openDrizzleSession(handle) ??
    openPrismaSession(handle, dialect)
  )
}
