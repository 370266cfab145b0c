import { ClienteleError } from '@clientele/core'
import { readSecrets } from './server/settings/setting-readers.ts'

/**
 * Reads CLIENTELE_SECRET as the server does; undefined when it is not set.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function readGivenSecrets(): string[] | undefined {
  const text = process.env.CLIENTELE_SECRET?.trim()
  try {
    return text ? readSecrets(text) : undefined
  } catch (error) {
    const rule = error instanceof Error ? error.message : String(error)
    throw new ClienteleError('configuration_invalid', `CLIENTELE_SECRET ${rule}.`)
  }
}
