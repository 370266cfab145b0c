import type { Scope } from '../../base/call/scope.ts'
import { ClienteleError } from '../../base/errors.ts'

/** Says which scopes a key lacks: to give a new key these is all that helps. */
export function scopeInsufficient(missing: readonly Scope[]): ClienteleError {
  const scopes = missing.length === 1 ? 'the scope' : 'the scopes'
  return new ClienteleError(
    'scope_insufficient',
    `The API key lacks ${scopes} ${missing.join(' and ')}, which this operation needs.`,
  )
}
