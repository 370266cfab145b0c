import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { whileAdmitted } from '../../base/call/while-admitted.ts'
import { readWithinBytes } from '../../base/runtime/read-within-bytes.ts'
import { mapInSlices } from '../../base/runtime/time-slice.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import { bareHash, isExpiredHash } from '../passwords/expired-hash.ts'
import type { ImportExportServices } from './services.ts'
import type { ExportedUser } from './store.ts'

/** A user in the form that an import takes. */
export interface ExportRecord extends ClientUser {
  /** When the address was verified; false: it is not verified */
  emailVerified: Date | false
  passwordHash?: string
  /** Beside a hash: whether the user chooses another password at the next sign-in with it; missing: no */
  passwordExpired?: true
}

/** How many users are read while their size is unknown */
const firstRows = 20
/** What is read at a time where the host takes one user after the other */
const batch = { limit: 250, maxBytes: 256 * 1024, firstRows }
/** Only the last users of a page may exceed this size, unless the request names another. */
const maxPageBytes = 1024 * 1024

/** Reads an account's users in creation order, a batch at a time. */
export async function* exportUsers(
  { repository }: ImportExportServices,
  { accountId }: Call,
  { withHashes = false }: { withHashes?: boolean | undefined } = {},
): AsyncGenerator<ExportRecord> {
  let afterId: string | null = null
  for (;;) {
    const { rows, isEnd } = await readRows(repository, accountId, afterId, batch)
    yield* await mapInSlices(rows, (exported) => toRecord(exported, withHashes))
    const last = rows.at(-1)
    if (last === undefined || isEnd) return
    // When no read has to wait, an export would never yield to other requests.
    await endOfTurn()
    afterId = last.user.id
  }
}

/**
 * Reads the next users after an id, at most `limit` and about a mebibyte, and renders each; `next` is where to continue,
 * null at the end. Accounts take turns: one page of an account is read at a time.
 *
 * @throws ClienteleError `overloaded` when too many pages of the account wait
 */
export function exportPage(
  services: ImportExportServices,
  call: Call,
  request: PageOfExport,
  render: (record: ExportRecord) => string,
): Promise<{ records: string[]; next: string | null }> {
  const read = () => readPage(services, call, request, render)
  return services.exportTurns.run(call.accountId, whileAdmitted(call, read))
}

interface PageOfExport {
  after?: string | undefined
  limit: number
  maxBytes?: number
}

async function readPage(
  { repository }: ImportExportServices,
  { accountId }: Call,
  { after, limit, maxBytes = maxPageBytes }: PageOfExport,
  render: (record: ExportRecord) => string,
): Promise<{ records: string[]; next: string | null }> {
  const bounds = { limit, maxBytes, firstRows }
  const { rows, isEnd } = await readRows(repository, accountId, after ?? null, bounds)
  const records = await mapInSlices(rows, (exported) => render(toRecord(exported, false)))
  return { records, next: isEnd ? null : (rows.at(-1)?.user.id ?? null) }
}

function readRows(
  { importExport }: ImportExportServices['repository'],
  accountId: string,
  afterId: string | null,
  bounds: { limit: number; maxBytes: number; firstRows?: number },
): Promise<{ rows: ExportedUser[]; isEnd: boolean }> {
  return readWithinBytes(
    { ...bounds, sizeOf: sizeOfUser },
    async (last: ExportedUser | undefined, size) => {
      if (last !== undefined) await endOfTurn()
      return importExport.exportBatch(accountId, last?.user.id ?? afterId, size)
    },
  )
}

/** The approximate size of a user in a response, in bytes */
function sizeOfUser({ user }: ExportedUser): number {
  return user.roles.length + user.metadata.length + 500
}

function toRecord(
  { user, emailVerifiedAt, passwordHash }: ExportedUser,
  withHashes: boolean,
): ExportRecord {
  const emailVerified = emailVerifiedAt === null ? false : new Date(emailVerifiedAt)
  const record: ExportRecord = { ...toClientUser(user), emailVerified }
  if (!withHashes || passwordHash === null) return record
  const expired = isExpiredHash(passwordHash) && ({ passwordExpired: true } as const)
  return { ...record, passwordHash: bareHash(passwordHash), ...expired }
}
