import type { AddressInfo } from 'node:net'
import type { Clientele } from '@clientele/core'
import { mountPath } from './request-listener.ts'

/** Says on standard output where the server is and, on an empty database, how to begin. */
export async function announce(clientele: Clientele, address: AddressInfo): Promise<void> {
  const base = `http://${toHost(address)}:${address.port}${mountPath}`
  // Only now that the port is ours: the key is shown once.
  const first = await clientele.accounts.bootstrap({ name: 'demo' })
  console.log(`Listening on ${base}`)
  if (first === undefined) {
    console.log('To make an API key: npx clientele account list, then key create --account ID')
    return
  }
  const user = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }
  console.log(`API key: ${first.apiKey}`)
  console.log(
    `curl -X POST '${base}/client/user' -H 'Authorization: Bearer ${first.apiKey}' ` +
      `-H 'Content-Type: application/json' -d '${JSON.stringify(user)}'`,
  )
}

/** An address to connect to: one that listens everywhere is not. */
function toHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}
