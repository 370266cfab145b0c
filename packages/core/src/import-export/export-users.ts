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

/** Reads the next users behind an id, at most so many; `next` is where to go on, null at the end. */
export async function exportPage(
  { repository }: Services,
  { accountId }: Call,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<{ records: ExportRecord[]; next: string | null }> {
  const records: ExportRecord[] = []
  let afterId = after ?? null
  while (records.length < limit) {
    const size = Math.min(batchSize, limit - records.length)
    const batch = await repository.importExport.exportBatch(accountId, afterId, size)
    records.push(...(await mapInSlices(batch, (exported) => toRecord(exported, false))))
    if (batch.length < size) return { records, next: null }
    afterId = batch.at(-1)?.user.id ?? null
    await endOfTurn()
  }
  return { records, next: afterId }
}

function toRecord(
  { user, emailVerifiedAt, passwordHash }: ExportedUser,
  withHashes: boolean,
): ExportRecord {
  const emailVerified = emailVerifiedAt === null ? false : new Date(emailVerifiedAt)
  const record: ExportRecord = { ...toClientUser(user), emailVerified }
  return withHashes && passwordHash !== null ? { ...record, passwordHash } : record
}
