import { type KyselyDialectName, type KyselyInstance, runOnKysely } from './host-kysely.ts'
import { endedTransaction, type HostSession, hasMethod, invalidHandle } from './host-session.ts'

/**
 * A Kysely transaction, also from `startTransaction()`; undefined for other objects.
 *
 * @throws ClienteleError `transaction_invalid`
 */
export function openKyselySession(
  handle: object,
  dialect: KyselyDialectName,
): HostSession | undefined {
  if (!isKysely(handle)) return undefined
  if (!handle.isTransaction)
    throw invalidHandle(
      'within() was given a Kysely instance: give it the transaction, db.transaction().execute((trx) => …).',
    )
  const transaction = handle.withoutPlugins()
  return {
    handle,
    query: async (step) => {
      try {
        return await runOnKysely(transaction, dialect, step)
      } catch (error) {
        throw isEnded(error) ? endedTransaction(error) : error
      }
    },
  }
}

function isKysely(handle: object): handle is KyselyInstance {
  return hasMethod(handle, 'executeQuery') && hasMethod(handle, 'withoutPlugins')
}

function isEnded(error: unknown): boolean {
  return error instanceof Error && /^Transaction is already /.test(error.message)
}
