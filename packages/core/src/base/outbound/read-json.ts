import { ClienteleError } from '../errors.ts'
import { CostlyAnswer } from './bound-answer.ts'
import { HostRefused } from './look-up-host.ts'
import { findTarget, openRequest } from './open-request.ts'
import { findUrlProblem } from './outbound-url.ts'

export interface ReadJsonOptions {
  /** The account that the request is for */
  accountId: string
  maxBytes: number
  /** Cancels the request */
  signal: AbortSignal
  /** Allows http, private and loopback addresses; link-local, metadata and reserved ones stay refused. */
  allowPrivateAddresses: boolean
}

/**
 * Why a document cannot be read, in words for the user who chose its address. The document's content is not in the
 * message.
 */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument'
  /** The status of a response other than 200 */
  readonly status: number | undefined

  constructor(reason: string, options: ErrorOptions & { status?: number } = {}) {
    super(reason, options)
    this.status = options.status
  }
}

/**
 * Reads a JSON document from a URL chosen by another party. It limits the size and the number of pieces, follows no
 * redirects, reaches the server's own network only where that is allowed, and never reaches a metadata service.
 *
 * @throws UnreadableDocument; ClienteleError `overloaded` when too many lookups wait
 */
export async function readJson(address: string, options: ReadJsonOptions): Promise<unknown> {
  const problem = findUrlProblem(address, options.allowPrivateAddresses)
  if (problem !== undefined) throw new UnreadableDocument(`its address ${problem}`)
  let text: string
  try {
    text = await readText(address, options)
  } catch (error) {
    throw explain(error, options.signal)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableDocument('the answer is not JSON')
  }
}

async function readText(
  address: string,
  { maxBytes, signal, ...lookUp }: ReadJsonOptions,
): Promise<string> {
  const target = await findTarget(address, { ...lookUp, signal })
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' }
    const request = openRequest(target, { method: 'GET', headers, signal }, (response) => {
      const { statusCode: status = 0, headers } = response
      const refuse = (reason: string, options?: { status: number }): void => {
        request.destroy(new UnreadableDocument(reason, options))
      }
      if (status !== 200) return refuse(`the answer has the status ${status}`, { status })
      if ((headers['content-encoding'] ?? 'identity') !== 'identity')
        return refuse('the answer is compressed, although the request does not accept that')
      const chunks: Buffer[] = []
      let length = 0
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxBytes) refuse(`the answer is longer than ${maxBytes} bytes`)
        else chunks.push(chunk)
      })
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
      response.on('error', reject)
    })
    request.on('error', reject)
    // Also after an invalid response, such as 101 with an upgrade. After a whole one it has no effect.
    request.on('close', () =>
      reject(new UnreadableDocument('the connection ends without an answer')),
    )
    request.end()
  })
}

function explain(error: unknown, signal: AbortSignal): Error {
  if (error instanceof UnreadableDocument || error instanceof ClienteleError) return error
  if (signal.aborted) return new UnreadableDocument('it takes too long', { cause: error })
  if (error instanceof CostlyAnswer) return new UnreadableDocument(error.message, { cause: error })
  if (error instanceof HostRefused)
    return new UnreadableDocument(`its name leads to ${error.problem}`, { cause: error })
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return new UnreadableDocument(`the connection fails${code}`, { cause: error })
}
