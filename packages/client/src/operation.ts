/** The inputs of an operation, from the OpenAPI document. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `baseUrl`, with `{name}` for parameters */
  path: string
  /** The media type of the body; absent: no body */
  body?: 'json' | 'form' | 'ndjson'
  /** Request header fields that it reads */
  headers?: readonly string[]
  /** Whether it changes nothing, although it is a POST */
  isRead?: true
  /** The media type of a success; absent: JSON, or none */
  answer?: 'ndjson'
}

/**
 * The lines of a body: values, or NDJSON as it is sent, as a text or a stream. Async iterables and streams are sent while
 * they are read, which fetch of Node, Deno and Bun can do.
 */
export type Lines<Line> =
  | string
  | Iterable<Line>
  | AsyncIterable<Line>
  | ReadableStream<Uint8Array<ArrayBuffer>>

/** The options of every call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason */
  signal?: AbortSignal | undefined
}
