import type { Call } from '../base/call/call.ts'
import { checkInput, type InputResult } from '../base/input/input.ts'
import { measureJsonText } from '../base/input/measure-json-text.ts'
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

/** In bytes: a usual token and its member take less */
const quickBytes = 2 * 1024
/** A body with a token has one member, or a few. */
const quickValues = 16

/** As heavy as a request can be */
const mostItems = 1_000
const comma = 0x2c
const ampersand = 0x26

const noInput = { data: undefined }

/** Whether a body is larger than one with a token, or of unknown size. */
export function isLarge(request: HttpRequest): boolean {
  const length = readHeader(request, 'content-length')
  if (length !== undefined) return Number(length) > usualTokenBytes
  if (request.headers['transfer-encoding'] !== undefined) return true
  // Over HTTP/2 a body may have neither. One that the host has parsed was read already.
  return request.parsedBody === undefined && !isWithoutBody(request)
}

/**
 * Whether a body takes so little time that it may be parsed before its caller is authenticated: strangers can send many at
 * once, each with hundreds of values, or with a token that nests deeply.
 */
export function isQuick(received: Received, { takesForm = false }: Route): boolean {
  if (received === undefined || 'fault' in received) return true
  if ('parsed' in received) {
    const members = Object.values(Object(received.parsed))
    const isShort = (value: unknown) => typeof value === 'string' && value.length <= quickBytes
    return members.length <= quickValues && members.every(isShort)
  }
  const { bytes } = received
  if (bytes.byteLength > quickBytes) return false
  if (!takesForm) return measureJsonText(bytes).values <= quickValues
  return countUpTo(quickValues, bytes, ampersand) < quickValues
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

/** How many items the list in a body has, at most: more than there is room for count as that many */
export function itemsOf({ looksUpItems }: Route, received: Received): number {
  if (looksUpItems !== true || received === undefined || 'fault' in received) return 0
  if ('parsed' in received)
    return Math.max(0, ...Object.values(Object(received.parsed)).map((value) => lengthOf(value)))
  return 1 + countUpTo(mostItems - 1, received.bytes, comma)
}

/** How often a byte comes, up to a number */
function countUpTo(most: number, bytes: Uint8Array, byte: number): number {
  let count = 0
  for (let at = bytes.indexOf(byte); at !== -1 && count < most; at = bytes.indexOf(byte, at + 1))
    count++
  return count
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

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
