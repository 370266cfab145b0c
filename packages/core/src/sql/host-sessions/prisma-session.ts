import { normalizeRows } from '../normalize-rows.ts'
import type { CompiledQuery } from '../statement.ts'
import { toSqlite } from '../to-sqlite.ts'
import type { KyselyDialectName } from './host-kysely.ts'
import { endedTransaction, type HostSession, hasMethod, invalidHandle } from './host-session.ts'

/** The members of a Prisma interactive transaction that we use, typed by structure. */
interface PrismaTransaction {
  $queryRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<unknown>
}

/**
 * An interactive transaction of Prisma; undefined for other objects.
 *
 * @throws ClienteleError `transaction_invalid`
 */
export function openPrismaSession(
  handle: object,
  dialect: KyselyDialectName,
): HostSession | undefined {
  if (!isPrisma(handle)) return undefined
  if (hasMethod(handle, '$connect'))
    throw invalidHandle(
      'within() was given a Prisma client: give it the transaction, prisma.$transaction(async (tx) => …).',
    )
  return {
    handle,
    query: async ({ sql, parameters }: CompiledQuery) => {
      const values = dialect === 'sqlite' ? toSqlite(parameters) : parameters
      try {
        const rows = await handle.$queryRawUnsafe(sql, ...values)
        return normalizeRows(Array.isArray(rows) ? rows : [])
      } catch (error) {
        throw faultOf(error)
      }
    },
  }
}

function isPrisma(handle: object): handle is PrismaTransaction {
  return hasMethod(handle, '$queryRawUnsafe')
}

/** The database's own error code, which Prisma wraps in its error */
function faultOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code: unknown = Reflect.get(error, 'code')
  // Committed, rolled back, or timed out by Prisma
  if (code === 'P2028') return endedTransaction(error)
  const fault = memberOf(memberOf(memberOf(error, 'meta'), 'driverAdapterError'), 'cause')
  const original = memberOf(fault, 'originalCode')
  // A write conflict or a deadlock
  const found = code === 'P2034' ? '40001' : original
  const own = new Error(String(memberOf(fault, 'originalMessage') ?? error.message), {
    cause: error,
  })
  if (typeof found === 'string') return Object.assign(own, { code: found })
  // Prisma's codes look like SQLSTATEs. Those that begin with P1 concern the connection.
  return typeof code === 'string' && code.startsWith('P1') ? own : error
}

function memberOf(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name)
}
