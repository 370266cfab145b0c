import type { HttpResponse } from '../../http/message.ts'

/** Allows no foreign resources, no framing, no content sniffing and no referrer. */
const headers: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), ' +
    'midi=(), payment=(), publickey-credentials-get=(), usb=()',
}

/**
 * Adds the headers of every response of the console. Only files whose name changes with their content may be cached.
 */
export function addConsoleHeaders(response: HttpResponse, cookie: string | undefined): void {
  const isImmutable = response.headers['cache-control']?.includes('immutable') === true
  Object.assign(response.headers, headers)
  if (!isImmutable) response.headers['cache-control'] = 'no-store'
  if (cookie !== undefined) response.headers['set-cookie'] ??= cookie
}
