import type { CreateObserver, RequestEvent } from '@clientele/core'
import type { Settings } from '../settings/setting-table.ts'
import { openLog } from './open-log.ts'
import { redactText } from './redact.ts'

/** An id that Clientele made, not input of the caller */
const isUuid = /^[0-9a-f-]{36}$/

/** Writes a line for each request, without the caller's input; writes none if the log level excludes it. */
export function logRequests({
  logLevel,
  logFormat,
}: Pick<Settings, 'logLevel' | 'logFormat'>): CreateObserver {
  return () => {
    if (logLevel !== 'debug' && logLevel !== 'info') return {}
    const { write } = openLog(logFormat)
    return { request: (event) => write(describeRequest(event)) }
  }
}

/**
 * Formats the line as pino would; pino takes several times as long to serialise an object. Only the request's id
 * can be the caller's input; names of routes, operations and codes are constants, and need no escape.
 */
function describeRequest(event: RequestEvent): string {
  const { requestId, method, route, operation, status, durationMs, code, accountId } = event
  const id = isUuid.test(requestId) ? `"${requestId}"` : JSON.stringify(redactText(requestId))
  let line = `{"level":"info","time":"${readTime()}","requestId":${id},"method":"${method}"`
  if (route !== undefined) line += `,"route":"${route}"`
  if (operation !== undefined) line += `,"operation":"${operation}"`
  line += `,"status":${status},"milliseconds":${Math.round(durationMs * 1000) / 1000}`
  if (code !== undefined) line += `,"code":"${code}"`
  if (accountId !== undefined) line += `,"accountId":"${accountId}"`
  return `${line},"message":"A request was answered."}\n`
}

let latest = { at: 0, text: '' }

/** The time in ISO 8601: many requests share a millisecond. */
function readTime(): string {
  const now = Date.now()
  if (now !== latest.at) latest = { at: now, text: new Date(now).toISOString() }
  return latest.text
}
