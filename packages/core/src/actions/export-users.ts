import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { JsonObject } from '../domain/json.ts'
import type { Services } from './services.ts'

/** A user as an import takes it. */
export interface ExportRecord {
  email: string
  name: string
  roles: string[]
  metadata: JsonObject
  is_active: boolean
  created_at: string
  password_hash?: string
}

const batchSize = 250

/** Reads an account's users in creation order, a batch at a time. */
export async function* exportUsers(
  { repository }: Services,
  accountId: string,
  { withHashes = false }: { withHashes?: boolean | undefined } = {},
): AsyncGenerator<ExportRecord> {
  let afterId: string | null = null
  for (;;) {
    const batch = await repository.exportUsers(accountId, afterId, batchSize)
    for (const { user, passwordHash } of batch) {
      const { email, name, roles, metadata, is_active, created_at } = user
      const record = { email, name, roles, metadata, is_active, created_at }
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
