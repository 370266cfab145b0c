import { UrlRefused } from './find-target.ts'
import { HostRefused } from './look-up-host.ts'

/** The causes that an operator acts on, by the code of Node's error */
const causes: [cause: string, codes: RegExp][] = [
  ['dns', /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|ENONAME|EAI_.+)$/],
  ['refused', /^ECONNREFUSED$/],
  ['unreachable', /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/],
  ['timeout', /^ETIMEDOUT$/],
  ['connection_closed', /^(ECONNRESET|EPIPE|ECONNABORTED)$/],
  [
    'tls',
    /^(ERR_TLS_.+|ERR_SSL_.+|CERT_.+|EPROTO|UNABLE_TO_.+|.*SELF_SIGNED_CERT.*|HOSTNAME_MISMATCH)$/,
  ],
  ['invalid_answer', /^HPE_.+$/],
]

/** Why a request to a server that another party chose got no answer, in a word for the log. */
export function nameCause(error: unknown): { cause: string; code?: string } {
  if (error instanceof HostRefused || error instanceof UrlRefused)
    return { cause: 'forbidden_address' }
  if (!(error instanceof Error)) return { cause: 'other' }
  if (error.name === 'TimeoutError') return { cause: 'timeout' }
  if (error.name === 'CostlyHandshake') return { cause: 'tls' }
  const code = 'code' in error ? String(error.code) : ''
  const [cause] = causes.find(([, codes]) => codes.test(code)) ?? ['other']
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? { cause, code } : { cause }
}
