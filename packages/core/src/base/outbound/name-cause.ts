import { UrlRefused } from './find-target.ts'
import { HostRefused } from './look-up-host.ts'

/** The causes that an operator acts on, with the beginnings of the codes of Node's errors */
const causes: readonly [cause: string, ...codes: string[]][] = [
  ['dns', 'ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT', 'EAI_'],
  ['refused', 'ECONNREFUSED'],
  ['unreachable', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL'],
  ['timeout', 'ETIMEDOUT'],
  ['connection_closed', 'ECONNRESET', 'EPIPE', 'ECONNABORTED'],
  ['tls', 'ERR_TLS_', 'ERR_SSL_', 'EPROTO', 'CERT_', 'UNABLE_TO_', 'HOSTNAME_MISMATCH'],
  ['tls', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ['invalid_answer', 'HPE_'],
]

/** Why a request to a server that another party chose got no answer, in a word for the log. */
export function nameCause(error: unknown): { cause: string; code?: string } {
  if (error instanceof HostRefused || error instanceof UrlRefused)
    return { cause: 'forbidden_address' }
  if (!(error instanceof Error)) return { cause: 'other' }
  if (error.name === 'TimeoutError') return { cause: 'timeout' }
  if (error.name === 'CostlyHandshake') return { cause: 'tls' }
  if (error.name === 'CostlyAnswer') return { cause: 'invalid_answer' }
  const code = 'code' in error ? String(error.code) : ''
  const [cause] = causes.find(([, ...codes]) => codes.some((each) => code.startsWith(each))) ?? [
    'other',
  ]
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? { cause, code } : { cause }
}
