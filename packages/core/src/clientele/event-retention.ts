import type { ClienteleOptions } from './clientele-options.ts'

export const defaultTokenTtlSeconds = 7200
const defaultDays = 90
const dayMs = 24 * 3600 * 1000

/** How long events are kept, in milliseconds */
export function readRetentionMs({ events }: Pick<ClienteleOptions, 'events'>): number {
  return (events?.retentionDays ?? defaultDays) * dayMs
}

/** Whether what has ended a token is in the feed of revocations for as long as the token could be used. */
export function outlivesTokens(
  options: Pick<ClienteleOptions, 'events' | 'tokenTtlSeconds'>,
): boolean {
  const { tokenTtlSeconds = defaultTokenTtlSeconds } = options
  return readRetentionMs(options) >= tokenTtlSeconds * 1000
}
