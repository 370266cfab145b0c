/** A typed client of Clientele's HTTP API: `createClient({ baseUrl, apiKey })`. @module */
export type { ClientOptions } from './client-options.ts'
export { type Client, createClient } from './create-client.ts'
export type * from './generated/codes.ts'
export type * from './generated/methods.ts'
export type * from './generated/schemas.ts'
export type { CallOptions, Lines } from './operation.ts'
export {
  type ClientCode,
  dataOf,
  type Failure,
  type Problem,
  ProblemError,
  type ProblemIssue,
  type Result,
  type Success,
} from './result.ts'
