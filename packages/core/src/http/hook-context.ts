import { isHookContext } from '../base/call/call.ts'
import { ClienteleError } from '../base/errors.ts'
import { type HttpRequest, readHeader } from './message.ts'

/**
 * Reads what the caller sends along for hooks.
 *
 * @throws ClienteleError `header_invalid`
 */
export function readHookContext(request: Pick<HttpRequest, 'headers'>): string | undefined {
  const text = readHeader(request, 'clientele-hook-context')
  if (text === undefined || isHookContext(text)) return text
  throw new ClienteleError(
    'header_invalid',
    'Send Clientele-Hook-Context as 1 to 4,096 visible characters of ASCII, or spaces between them.',
  )
}
