import type { TrustedIssuer } from '@clientele/core'
import { formatTable } from './format-table.ts'

export function formatIssuers(issuers: readonly TrustedIssuer[]): string {
  return formatTable(
    issuers.map((issuer) => ({
      id: issuer.id,
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: issuer.algorithms,
      keys: issuer.jwksUrl ?? issuer.keySource,
      user: `${issuer.userClaim} (${issuer.userLookup})`,
      sign_in: issuer.signIn ? describeSignIn(issuer) : '-',
      allows: describeAllowed(issuer) || '-',
      max_lifetime_seconds: issuer.maxLifetimeSeconds,
      created_at: issuer.createdAt,
      updated_at: issuer.updatedAt,
    })),
  )
}

function describeSignIn({ nonce, maxAgeSeconds, linkByEmail }: TrustedIssuer): string {
  const parts = [`nonce ${nonce}`]
  if (maxAgeSeconds !== null) parts.push(`at most ${maxAgeSeconds} s old`)
  if (linkByEmail) parts.push('links by e-mail')
  return parts.join(', ')
}

function describeAllowed({ clientIdAsAudience, trustUnverifiedEmail }: TrustedIssuer): string {
  const parts: string[] = []
  if (clientIdAsAudience) parts.push('client_id for aud')
  if (trustUnverifiedEmail) parts.push('unverified e-mails')
  return parts.join(', ')
}
