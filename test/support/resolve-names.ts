import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

/** Makes every name resolve to these addresses, in this process, until the test is over. */
export function resolveNames(addresses: readonly string[]): void {
  const real = dns.lookup
  dns.lookup = ((_host: string, _options: object, callback: (...all: unknown[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as never // only what is called here
  syncBuiltinESMExports()
  onTestFinished(() => {
    dns.lookup = real
    syncBuiltinESMExports()
  })
}
