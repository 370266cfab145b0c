import { ClienteleError } from '../../base/errors.ts'

/**
 * Refuses the clients of `pg.native`: they ignore type parsers per query and lose a query's time limit.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function refuseNative(client: unknown, advice: string): void {
  const prototype: unknown = typeof client === 'function' ? client.prototype : undefined
  // pg's own pool recognises them by this method.
  const isNative = typeof prototype === 'object' && prototype !== null && 'isConnected' in prototype
  if (isNative) throw new ClienteleError('configuration_invalid', advice)
}
