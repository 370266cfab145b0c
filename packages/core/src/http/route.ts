import type { z } from 'zod'
import type { Call } from '../base/call/call.ts'
import type { Scope } from '../base/call/scope.ts'
import type { TokenSubject } from '../base/call/token-subject.ts'
import type { HttpErrorCode } from '../base/errors.ts'
import type { SubjectState } from '../user-model/subject-state.ts'
import type { HeaderName } from './header-fields.ts'
import type { BodyLines, HttpRequest, HttpResponse } from './message.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The context of a handler, besides its input. */
export interface RouteContext {
  request: HttpRequest
  /** The owner of the API key; on public routes it names no account */
  call: Call
  /** The state of the subject from `subjectOf`; undefined when it does not exist in the account */
  subject: SubjectState | undefined
  /** Authenticates the caller anew: after a wait, the API key may have been revoked. Throws when it refuses the caller. */
  readmit: () => Promise<unknown>
  /** The body of a route with `takesLines` */
  lines: BodyLines | undefined
}

/** The rules of a body that is read line by line. */
export interface LineRules {
  /** The schema of a line, for the OpenAPI document: the action checks the lines */
  schema: z.ZodType
  /** Later lines are not read */
  maxLines: number
}

/** A successful response of a route, for the OpenAPI document. */
export interface DocumentedResponse {
  description: string
  schema?: z.ZodType
  /** `application/x-ndjson`: the schema is that of a line */
  contentType?: string
  /** Header fields in addition to those of every response */
  headers?: readonly HeaderName[]
}

export interface RouteInput<Path, Query, Body> {
  path: Path
  query: Query
  body: Body
}

/** A group of operations and its purpose. */
export interface Tag {
  name: string
  description: string
}

/** A route: its path, input, authorisation, handler and documentation. */
export interface Route<Path = unknown, Query = unknown, Body = unknown> {
  /** The operation's id in the OpenAPI document */
  id: string
  method: Method
  /** Below the mount, with `{name}` for parameters */
  path: string
  summary: string
  tag: Tag
  /** The scope that the API key needs; absent: the route is public */
  scope?: Scope
  pathSchema?: z.ZodType<Path, unknown>
  querySchema?: z.ZodType<Query, unknown>
  bodySchema?: z.ZodType<Body, unknown>
  /** A narrower schema for a caller, where its account decides; `bodySchema` is the one that is documented */
  bodySchemaFor?(call: Call): z.ZodType<Body, unknown>
  /** Whether the body may also be `application/merge-patch+json` */
  acceptsMergePatch?: boolean
  /** Whether the body is a form (`application/x-www-form-urlencoded`) instead of JSON */
  takesForm?: boolean
  /** Whether the body may also be `application/scim+json` (RFC 7644) */
  acceptsScim?: boolean
  /** Whether unknown parameters of the query are ignored */
  ignoresUnknownQuery?: boolean
  /** The body is a user or another object per line (NDJSON), which the handler reads in `context.lines`, one after the other */
  takesLines?: LineRules
  /** Whether the API key may also come as HTTP Basic, with the account's id as the user name (RFC 6749, section 2.3.1) */
  acceptsBasic?: boolean
  /** The maximum size of the body. @default 64 KiB */
  maxBodyBytes?: number
  /** Whether the body holds a list of items that the action checks one by one */
  hasItems?: boolean
  /** Whether the body holds a list of items, each of which is looked up: it weighs as much as a page of that length */
  looksUpItems?: boolean
  /** The request header fields that it reads */
  requestHeaders?: readonly HeaderName[]
  /** Whether hooks of the host's are asked: the request may have a `Clientele-Hook-Context` for them */
  asksHooks?: boolean
  responses: Record<number, DocumentedResponse>
  /** Whether it authenticates its caller again by itself, as often as it waits: an export, a feed */
  readmits?: boolean
  /** Codes in addition to those of every route */
  errors: readonly HttpErrorCode[]
  /** Members that the route's problems have in addition to the usual ones */
  problemExtension?: (code: string) => Record<string, unknown>
  /** The subject in the body: read together with the API key, in one round trip */
  subjectOf?: (body: Body) => TokenSubject | undefined
  handle(context: RouteContext, input: RouteInput<Path, Query, Body>): Promise<HttpResponse>
}

/** Whether a repeat with the same `Idempotency-Key` gets the first response. */
export function takesIdempotencyKey({ requestHeaders }: Route): boolean {
  return requestHeaders?.includes('Idempotency-Key') ?? false
}

/** Whether a route may write something. */
export function mayWrite({ method, subjectOf, looksUpItems }: Route): boolean {
  return method !== 'GET' && subjectOf === undefined && looksUpItems !== true
}

/** The request header fields that a route reads. */
export function requestHeadersOf({ requestHeaders = [], asksHooks }: Route): readonly HeaderName[] {
  return asksHooks ? [...requestHeaders, 'Clientele-Hook-Context'] : requestHeaders
}

/** Whether a request may come without a body, because every member is optional. A PATCH without a body is refused. */
export function needsBody({ method, bodySchema }: Route): boolean {
  return method !== 'POST' || bodySchema?.safeParse({}).success !== true
}

/** Checks a route's handler against its schemas, then erases their types so that the route table can hold it. */
export function defineRoute<Path, Query, Body>(route: Route<Path, Query, Body>): Route {
  return route as unknown as Route // handleRequest passes the output of the route's own schemas
}
