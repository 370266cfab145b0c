import type { Call } from '../base/call/call.ts'
import { checkInput, type InputResult } from '../base/input/input.ts'
import { type HttpRequest, readHeader } from '../http/message.ts'
import {
  isWithoutBody,
  maxBodyBytesOf,
  parseBody,
  type ReceivedBody,
  receiveBody,
} from '../http/read-body.ts'
import { needsBody, type Route } from '../http/route.ts'

/** In bytes: a larger body is read only after the caller is authenticated */
const usualTokenBytes = 8 * 1024

/** A valid body, or the error to throw after authentication: unauthenticated callers learn nothing about the rules. */
export type CheckedBody = InputResult<unknown> | { fault: unknown }

/** A body that has been read but not parsed, or the error of reading it; undefined: the route takes none, or none came */
export type Received = ReceivedBody | { fault: unknown } | undefined

const noInput = { data: undefined }

/** Whether a body is larger than one with a token, or of unknown size. */
export function isLarge(request: HttpRequest): boolean {
  const length = readHeader(request, 'content-length')
  if (length === undefined) return request.headers['transfer-encoding'] !== undefined
  return Number(length) > usualTokenBytes
}

/** The most bytes that are read of a body */
export function mostBytesOf(request: HttpRequest, route: Route): number {
  if (isWithoutBody(request)) return 0
  const most = maxBodyBytesOf(route)
  const length = readHeader(request, 'content-length')
  return length === undefined ? most : Math.min(most, Number(length) || 0)
}

/** The bytes of a body: counted, or where the host has parsed it the most that it may have had */
export function bytesOf(request: HttpRequest, route: Route, received: Received): number {
  if (received !== undefined && 'bytes' in received) return received.bytes.byteLength
  return received === undefined ? 0 : mostBytesOf(request, route)
}

/** Reads the body that a route takes. It never rejects. */
export async function receive(request: HttpRequest, route: Route): Promise<Received> {
  if (route.bodySchema === undefined) return undefined
  // An optional body that is missing is an empty object.
  if (isWithoutBody(request) && !needsBody(route)) return undefined
  try {
    return await receiveBody(request, route)
  } catch (fault) {
    return { fault }
  }
}

/**
 * Parses and checks a body: work on the event loop.
 *
 * @param call the caller, if it is known already
 */
export function checkReceived(received: Received, route: Route, call?: Call): CheckedBody {
  const { hasItems } = route
  const bodySchema = (call && route.bodySchemaFor?.(call)) ?? route.bodySchema
  if (bodySchema === undefined) return noInput
  if (received !== undefined && 'fault' in received) return received
  try {
    const value = received === undefined ? {} : parseBody(received, route)
    return checkBy(bodySchema, value, hasItems !== true)
  } catch (fault) {
    return { fault }
  }
}

export function checkBy(
  schema: Route['bodySchema'],
  value: unknown,
  isWalked?: boolean,
): InputResult<unknown> {
  return schema === undefined ? noInput : checkInput(schema, value, isWalked)
}
