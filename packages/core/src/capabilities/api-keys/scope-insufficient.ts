import type { Scope } from '../../base/call/scope.ts'
import { ClienteleError } from '../../base/errors.ts'

/** Names the scopes that a key lacks: scopes cannot be added, so the caller needs a new key. */
export function scopeInsufficient(missing: readonly Scope[]): ClienteleError {
  const scopes = missing.length === 1 ? 'the scope' : 'the scopes'
  return new ClienteleError(
    'scope_insufficient',
    `The API key lacks ${scopes} ${missing.join(' and ')}, which this operation needs.`,
  )
}
