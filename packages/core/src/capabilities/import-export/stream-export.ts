import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { type ExportRecord, exportPage } from './export-users.ts'
import type { ImportExportServices } from './services.ts'

const page = { limit: 500, maxBytes: 256 * 1024 }
/** A piece ends with the line that reaches this size. */
const pieceLength = 32 * 1024

type Page = Awaited<ReturnType<typeof exportPage>>

/**
 * Streams an account's users as NDJSON in the order of their creation, without hashes. The first page is read before the
 * promise resolves.
 *
 * @throws ClienteleError `overloaded` when too many imports and exports of the account run; `storage_unavailable`
 */
export async function streamExport(
  services: ImportExportServices,
  call: Call,
): Promise<AsyncIterable<Uint8Array<ArrayBuffer>>> {
  services.transfers.assertRoom(call.accountId)
  const first = await exportPage(services, call, page, renderLine)
  // Others may have begun while this one waited for its turn.
  services.transfers.assertRoom(call.accountId)
  return streamPages(services, call, first)
}

async function* streamPages(
  services: ImportExportServices,
  call: Call,
  first: Page,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  // Here and not before: a stream that is never read holds no place.
  const end = services.transfers.begin(call.accountId)
  if (end === undefined) throw new ClienteleError('overloaded')
  try {
    for (let { records, next } = first; ; ) {
      // A connection may take a whole page at once, and so may those of all other exports.
      yield* services.largeResponses.render(call.accountId, toPieces(records), 0).stream
      if (next === null) return
      // When no read has to wait, an export would never yield to other requests.
      await endOfTurn()
      const request = { ...page, after: next }
      ;({ records, next } = await exportPage(services, call, request, renderLine))
    }
  } finally {
    end()
  }
}

function renderLine(record: ExportRecord): string {
  return `${JSON.stringify(toWire(record))}\n`
}

function* toPieces(lines: readonly string[]): Generator<Uint8Array<ArrayBuffer>> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < pieceLength) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
