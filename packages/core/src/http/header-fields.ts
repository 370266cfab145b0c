/** The description of a header field: a JSON Schema of its value. */
export interface HeaderField {
  description: string
  type: 'string' | 'integer'
  examples: (string | number)[]
  minLength?: number
  maxLength?: number
  minimum?: number
  format?: string
}

const etags = '"3", or a list of them, or *'

/** The header fields in the OpenAPI document. */
export const headerFields = {
  'If-Match': {
    description: `Act only if the user still has one of these ETags (RFC 9110): ${etags}. \`W/"3"\` is \`"3"\`.`,
    type: 'string',
    minLength: 1,
    examples: ['"3"'],
  },
  'If-None-Match': {
    description: `Respond with 304 if the user still has one of these ETags (RFC 9110): ${etags}.`,
    type: 'string',
    minLength: 1,
    examples: ['"3"'],
  },
  'Idempotency-Key': {
    description:
      'A name that you choose for this request, so that you can repeat it: for 24 hours a request with the same key and ' +
      'the same input gets the first response and does nothing. Bare or in quotes.',
    type: 'string',
    minLength: 1,
    maxLength: 255,
    examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
  },
  'Clientele-Hook-Context': {
    description:
      'A text for the hooks of the service, such as the token of a solved CAPTCHA: visible characters of ASCII, and ' +
      'spaces between them. It is not stored.',
    type: 'string',
    minLength: 1,
    maxLength: 4096,
    examples: ['captcha 03AFcWeA6Hk'],
  },
  'Idempotent-Replayed': {
    description: '`true`: this is the response to an earlier request with this Idempotency-Key',
    type: 'string',
    examples: ['true'],
  },
  ETag: {
    description: 'The version of the returned user, for If-Match and If-None-Match (RFC 9110)',
    type: 'string',
    examples: ['"3"'],
  },
  Location: {
    description: "The user's path",
    type: 'string',
    format: 'uri-reference',
    examples: ['/api/v1/client/user/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'],
  },
  Link: {
    description:
      'Links to the pages first, prev, next and last (RFC 8288); their cursors are opaque',
    type: 'string',
    examples: [
      '</api/v1/client/user?limit=10&page=1>; rel="first", </api/v1/client/user?limit=10&page=1>; rel="last"',
    ],
  },
  'X-Request-Id': {
    description:
      "The request's id, which the server's log has, too: name it when you report a problem",
    type: 'string',
    examples: ['01a1fec0-98f2-70ad-899e-57289b100a7d'],
  },
  'Retry-After': {
    description: 'Try again after this number of seconds (RFC 9110)',
    type: 'integer',
    minimum: 1,
    format: 'int32',
    examples: [60],
  },
  RateLimit: {
    description:
      'The remaining quota (r) and the seconds until it is reset (t): draft-ietf-httpapi-ratelimit-headers',
    type: 'string',
    examples: ['"login";r=0;t=60'],
  },
  'RateLimit-Policy': {
    description: 'The quota (q) in a window of w seconds: draft-ietf-httpapi-ratelimit-headers',
    type: 'string',
    examples: ['"login";q=10;w=900'],
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750)',
    type: 'string',
    examples: ['Bearer'],
  },
  Allow: {
    description: 'The methods that the path supports',
    type: 'string',
    examples: ['GET, HEAD'],
  },
} as const satisfies Record<string, HeaderField>

export type HeaderName = keyof typeof headerFields
