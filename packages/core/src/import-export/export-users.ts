import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../call.ts'
import type { JsonObject } from '../input/json.ts'
import type { Services } from '../services.ts'
import type { ExportedUser } from './store.ts'

/** A user as an import takes it. */
export interface ExportRecord {
  id: string
  email: string
  name: string
  roles: string[]
  metadata: JsonObject
  is_active: boolean
  /** When the address was verified; ISO 8601, UTC. False: it was not */
  email_verified: string | false
  created_at: string
  updated_at: string
  password_hash?: string
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
    for (const exported of batch) {
      const { passwordHash } = exported
      const record = toRecord(exported)
      yield withHashes && passwordHash !== null
        ? { ...record, password_hash: passwordHash }
        : record
    }
    // Where nothing else waits for anything, an export would keep everybody else waiting.
    await endOfTurn()
    const last = batch.at(-1)
    if (last === undefined || batch.length < batchSize) return
    afterId = last.user.id
  }
}

function toRecord({ user, emailVerifiedAt }: ExportedUser): ExportRecord {
  const { id, email, name, roles, metadata, is_active, created_at, updated_at } = user
  const email_verified = emailVerifiedAt === null ? false : new Date(emailVerifiedAt).toISOString()
  return { id, email, name, roles, metadata, is_active, email_verified, created_at, updated_at }
}
