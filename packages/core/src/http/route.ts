import type { z } from 'zod'
import type { Call } from '../base/call/call.ts'
import type { Scope } from '../base/call/scope.ts'
import type { TokenSubject } from '../base/call/token-subject.ts'
import type { HttpErrorCode } from '../base/errors.ts'
import type { SubjectState } from '../user-model/subject-state.ts'
import type { HeaderName } from './header-fields.ts'
import type { HttpRequest, HttpResponse } from './message.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a handler has at hand besides the input. */
export interface RouteContext {
  request: HttpRequest
  /** What the API key stands for; on public routes it names no account */
  call: Call
  /** The state of the subject that the route named by `subjectOf`; undefined when it does not exist in the account */
  subject: SubjectState | undefined
}

/** A success that a route can answer with, for the OpenAPI document. */
export interface DocumentedResponse {
  description: string
  schema?: z.ZodType
  contentType?: string
  /** Header fields besides those that every response has */
  headers?: readonly HeaderName[]
}

export interface RouteInput<Path, Query, Body> {
  path: Path
  query: Query
  body: Body
}

/** A group of operations, and what it is for. */
export interface Tag {
  name: string
  description: string
}

/** One line of the route table: it routes, validates, authorises and documents. */
export interface Route<Path = unknown, Query = unknown, Body = unknown> {
  /** The operation's id in the OpenAPI document */
  id: string
  method: Method
  /** Below the mount, with `{name}` for parameters */
  path: string
  summary: string
  tag: Tag
  /** What the API key must allow; absent: the route is public */
  scope?: Scope
  pathSchema?: z.ZodType<Path, unknown>
  querySchema?: z.ZodType<Query, unknown>
  bodySchema?: z.ZodType<Body, unknown>
  /** Whether the body may also be `application/merge-patch+json` */
  acceptsMergePatch?: boolean
  /** Whether the body is a form, and not JSON: `application/x-www-form-urlencoded` */
  takesForm?: boolean
  /** Whether the API key may also come as HTTP Basic, with the account's id as the user name (RFC 6749, section 2.3.1) */
  acceptsBasic?: boolean
  /** How large the body may be. @default 64 KiB */
  maxBodyBytes?: number
  /** Whether the body holds a list whose items its action checks by itself, one by one */
  hasItems?: boolean
  /** Request header fields that it reads */
  requestHeaders?: readonly HeaderName[]
  responses: Record<number, DocumentedResponse>
  /** Codes beyond those that every route can answer with */
  errors: readonly HttpErrorCode[]
  /** Members that the route's own problems have besides the usual ones */
  problemExtension?: (code: string) => Record<string, unknown>
  /** The user that the body names, who is read together with the API key, in one round trip */
  subjectOf?: (body: Body) => TokenSubject | undefined
  handle(context: RouteContext, input: RouteInput<Path, Query, Body>): Promise<HttpResponse>
}

/** Whether a repeat of the request with the same `Idempotency-Key` is answered as the first was. */
export function takesIdempotencyKey({ requestHeaders }: Route): boolean {
  return requestHeaders?.includes('Idempotency-Key') ?? false
}

/** Whether a request may come without a body: all that it could say may be left out. A PATCH without one says nothing. */
export function needsBody({ method, bodySchema }: Route): boolean {
  return method !== 'POST' || bodySchema?.safeParse({}).success !== true
}

/** Checks a route's handler against its schemas and forgets their types, so that the table can hold it. */
export function defineRoute<Path, Query, Body>(route: Route<Path, Query, Body>): Route {
  return route as unknown as Route // handleRequest gives `handle` what the route's own schemas made
}
