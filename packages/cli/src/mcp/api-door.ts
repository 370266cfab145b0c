import type { ApiRequest } from './build-request.ts'
import { ToolFault } from './tool-fault.ts'

const timeoutMs = 30_000

export interface ApiAnswer {
  status: number
  headers: Headers
  /** Undefined: there is none */
  body: unknown
}

/** Sends requests to the API with its key, and reads a bounded part of the answers. */
export class ApiDoor {
  readonly #baseUrl: string
  readonly #apiKey: string

  /** @param baseUrl the mount point, without a `/` at its end */
  constructor(baseUrl: string, apiKey: string) {
    this.#baseUrl = baseUrl
    this.#apiKey = apiKey
  }

  /**
   * @param maxBytes a longer answer is not read to its end
   * @throws ToolFault if there is no answer, or one that is not the API's
   */
  async send(request: ApiRequest, maxBytes: number, signal?: AbortSignal): Promise<ApiAnswer> {
    const { method, path, headers, body } = request
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${this.#baseUrl}${path}`, {
        method,
        headers: {
          ...headers,
          Accept: 'application/json',
          Authorization: `Bearer ${this.#apiKey}`,
        },
        ...(body !== undefined && { body }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        // The API key must not go to another host.
        redirect: 'manual',
      })
      return await readAnswer(response, maxBytes)
    } catch (error) {
      if (error instanceof ToolFault) throw error
      if (timeout.aborted)
        throw new ToolFault(`No answer came within ${timeoutMs / 1000} seconds.`, { cause: error })
      throw new ToolFault(`No answer came from ${this.#baseUrl}${describeCause(error)}.`, {
        cause: error,
      })
    }
  }
}

async function readAnswer(response: Response, maxBytes: number): Promise<ApiAnswer> {
  const { status, headers } = response
  if (status >= 300 && status < 400 && status !== 304) {
    await response.body?.cancel()
    throw new ToolFault(
      `The answer ${status} leads elsewhere, and is not followed: the API key stays with --url.`,
    )
  }
  const text = await readText(response, maxBytes)
  if (text === '') return { status, headers, body: undefined }
  const type = headers.get('content-type') ?? ''
  const isJson = /^application\/([\w.-]+\+)?json\b/.test(type)
  const body = isJson ? parse(text) : undefined
  if (body !== undefined) return { status, headers, body }
  throw new ToolFault(`The answer ${status} is not Clientele's: it is ${describeType(type)}.`)
}

async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the rest.
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) throw new AnswerTooLarge(maxBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

export class AnswerTooLarge extends ToolFault {
  constructor(maxBytes: number) {
    super(`The answer is larger than ${maxBytes / 1024} KiB.`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return
  }
}

function describeType(type: string): string {
  const [name = ''] = type.split(';')
  if (name === '') return 'of no type'
  return /json\b/.test(name) ? 'invalid JSON' : name
}

/** Why fetch failed: `ECONNREFUSED`. Its own message says nothing. */
function describeCause(error: unknown): string {
  const { cause } = Object(error)
  const { code, message } = Object(cause)
  const words = code ?? message
  return typeof words === 'string' && words !== '' ? ` (${words})` : ''
}
