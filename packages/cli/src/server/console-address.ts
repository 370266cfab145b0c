import type { AddressInfo } from 'node:net'
import type { Clientele } from '@clientele/core'
import { mountPath } from './request-listener.ts'

/** Where the routes are on this machine. */
export function toLocalBase({ port, ...host }: Omit<AddressInfo, 'family'>): string {
  return `http://${toHost(host.address)}:${port}${mountPath}`
}

/** Makes a one-time link to the console, valid for ten minutes. */
export async function makeConsoleLink(
  clientele: Clientele,
  base: string,
): Promise<{ url: string; expiresAt: Date }> {
  const { path, expiresAt } = await clientele.console.createLink()
  return { url: `${base.replace(/\/+$/, '')}${path}`, expiresAt }
}

/** An address to connect to: replaces the wildcard addresses. */
function toHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return address.includes(':') ? `[${address}]` : address
}
