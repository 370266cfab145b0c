import type { HttpRequest } from './message.ts'

/** Whether the caller has disconnected */
export function isCallerGone(request: HttpRequest): boolean {
  return request.isGone?.() ?? request.signal?.aborted === true
}
