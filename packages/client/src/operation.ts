/** The inputs of an operation, from the OpenAPI document. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `baseUrl`, with `{name}` for parameters */
  path: string
  /** The media type of the body; absent: no body */
  body?: 'json' | 'form'
  /** Request header fields that it reads */
  headers?: readonly string[]
  /** Whether it changes nothing, although it is a POST */
  isRead?: true
}

/** The options of every call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason */
  signal?: AbortSignal | undefined
}
