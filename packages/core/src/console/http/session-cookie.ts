import { type HttpRequest, readHeader } from '../../http/message.ts'
import { type ConsoleSession, renewSession, sealSession } from '../console-session.ts'
import type { ConsoleServices } from '../services.ts'
import { consolePath } from './console-path.ts'
import type { Visitor } from './visitor.ts'

const name = 'clientele_console'
/** Cookies of the same name may come from parent paths and from other programs. */
const maxCandidates = 50

/** Splitting the header would cost a millisecond for thousands of cookies, before the caller is known. */
const pattern = /(?:^|[;,] ?)clientele_console=([^;,]*)/g

/** The values of our cookie in the request, the nearest path first (RFC 6265, section 5.4). */
export function readSealedSessions(request: HttpRequest): string[] {
  const values: string[] = []
  const header = readHeader(request, 'cookie') ?? ''
  if (!header.includes(name)) return values
  for (const [, value = ''] of header.matchAll(pattern)) {
    if (values.push(value) === maxCandidates) break
  }
  return values
}

const marker = 'clientele-console'

/** Whether the request has the header that the page sends: its own path, or `1`. */
export function isSentByPage(request: HttpRequest): boolean {
  return readHeader(request, marker) === '1' || readPagePath(request) !== undefined
}

/** The path of the page as the browser sees it: proxies may have rewritten the request's path. */
function readPagePath(request: HttpRequest): string | undefined {
  const path = readHeader(request, marker) ?? ''
  const isPath = /^\/(?!\/)[\x21-\x3a\x3c-\x7e]{0,1000}$/.test(path)
  return isPath && path.endsWith(`${consolePath}/`) ? path.slice(0, -1) : undefined
}

/** `Set-Cookie` for a session, or to delete it. */
export function renderSessionCookie(
  services: ConsoleServices,
  request: HttpRequest,
  session: ConsoleSession | undefined,
): string {
  const { publicUrl, publicPath, clock } = services
  const value = session === undefined ? '' : sealSession(services, session)
  const seconds = session === undefined ? 0 : Math.ceil((session.expiresAt - clock()) / 1000)
  // In a mount path with parameters, the values come from the request.
  const path =
    readPagePath(request) ?? encodePath(`${publicPath ?? request.mountPath}${consolePath}`)
  const secure = publicUrl?.startsWith('https:') === true ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** `Set-Cookie` that renews a used session from time to time; undefined without a session. */
export function renewSessionCookie(
  services: ConsoleServices,
  request: HttpRequest,
  visitor: Visitor,
): string | undefined {
  // A request that waits for events does not prove that the page is in use.
  if (visitor.expiresAt === undefined || isWaiting(request)) return undefined
  const renewed = renewSession(services, visitor)
  return renewed && renderSessionCookie(services, request, renewed)
}

function isWaiting({ url }: HttpRequest): boolean {
  const mark = url.indexOf('?')
  return mark !== -1 && Number(new URLSearchParams(url.slice(mark)).get('wait')) > 0
}

/** Removes characters that a cookie's path cannot contain. */
function encodePath(path: string): string {
  return path.replace(/[^\x21-\x3a\x3c-\x7e]/g, encodeURIComponent)
}
