import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../call.ts'
import { mapInSlices } from '../runtime/time-slice.ts'
import type { Services } from '../services.ts'
import type { ClientUser } from '../users/client-user.ts'
import { toClientUser } from '../users/stored-user.ts'
import type { ExportedUser } from './store.ts'

/** A user as an import takes it. */
export interface ExportRecord extends ClientUser {
  /** When the address was verified. False: it was not */
  emailVerified: Date | false
  passwordHash?: string
}

const batchSize = 250

/** Reads an account's users in creation order, a batch at a time. */
export async function* exportUsers(
  { repository }: Services,
  { accountId }: Call,
  { withHashes = false }: { withHashes?: boolean | undefined } = {},
): AsyncGenerator<ExportRecord> {
  let afterId: string | null = null
  for (;;) {
    const batch = await repository.importExport.exportBatch(accountId, afterId, batchSize)
    const records = await mapInSlices(batch, (exported) => toRecord(exported, withHashes))
    yield* records
    // Where nothing else waits for anything, an export would keep everybody else waiting.
    await endOfTurn()
    const last = batch.at(-1)
    if (last === undefined || batch.length < batchSize) return
    afterId = last.user.id
  }
}

function toRecord(
  { user, emailVerifiedAt, passwordHash }: ExportedUser,
  withHashes: boolean,
): ExportRecord {
  const emailVerified = emailVerifiedAt === null ? false : new Date(emailVerifiedAt)
  const record: ExportRecord = { ...toClientUser(user), emailVerified }
  return withHashes && passwordHash !== null ? { ...record, passwordHash } : record
}
