import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { type PostgresUrl, sslModes } from './url.ts'

/** The `ssl` option of `pg`: false means no TLS. */
export type Tls = ConnectionOptions | false

/**
 * The TLS modes that `sslmode` allows, as in libpq, the preferred one first.
 *
 * @throws the error that `refuse` makes
 */
export function readTlsWays(url: PostgresUrl, refuse: (rule: string) => Error): Tls[] {
  const trustsSystem = url.sslrootcert === 'system'
  const mode = url.sslmode ?? readEnvironment(refuse) ?? (trustsSystem ? 'verify-full' : 'prefer')
  if (trustsSystem && mode !== 'verify-full') {
    throw refuse('sslrootcert=system needs sslmode=verify-full')
  }
  if (url.sslnegotiation === 'direct' && (mode === 'disable' || mode === 'prefer')) {
    throw refuse('sslnegotiation=direct needs sslmode=require, verify-ca or verify-full')
  }
  if (mode === 'disable') return [false]
  const read = (name: 'sslrootcert' | 'sslcert' | 'sslkey'): string | undefined => {
    const file = url[name]
    if (file === undefined) return undefined
    try {
      return readFileSync(file, 'utf8')
    } catch {
      throw refuse(`the file of ${name} cannot be read`)
    }
  }
  const ca = trustsSystem ? undefined : read('sslrootcert')
  const own = { cert: read('sslcert'), key: read('sslkey') }
  // As in libpq: with a root certificate `require` verifies the certificate.
  if (mode === 'verify-ca' || (mode === 'require' && ca !== undefined)) {
    // Anyone can get a certificate from a public authority; without a check of the name it proves nothing.
    if (ca === undefined) throw refuse('sslmode=verify-ca needs sslrootcert; or write verify-full')
    return [{ ...own, ca, rejectUnauthorized: true, checkServerIdentity: () => undefined }]
  }
  if (mode === 'verify-full') return [{ ...own, ...(ca && { ca }), rejectUnauthorized: true }]
  const unverified = { ...own, rejectUnauthorized: false }
  return mode === 'prefer' ? [unverified, false] : [unverified]
}

function readEnvironment(refuse: (rule: string) => Error): PostgresUrl['sslmode'] {
  const text = process.env.PGSSLMODE
  if (!text) return undefined
  const mode = sslModes.find((known) => known === text)
  if (mode === undefined) throw refuse(`PGSSLMODE must be one of ${sslModes.join(', ')}`)
  return mode
}
