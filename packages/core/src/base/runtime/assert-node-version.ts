import { ClienteleError } from '../errors.ts'

/**
 * The oldest supported Node per major version, as in `engines` of every package.json: better-sqlite3 needs its Node-API
 * 10.
 */
const oldestMinors: Record<number, number> = { 22: 14, 23: 6 }
const newestMajor = 23

/**
 * Refuses an unsupported Node, on which the SQLite driver would end the process without a message.
 *
 * @throws ClienteleError `configuration_invalid`, which names the required and the running version
 *
 * @example
 * assertNodeVersion('22.14.0')
 */
export function assertNodeVersion(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewEnough = major > newestMajor || minor >= (oldestMinors[major] ?? Infinity)
  if (isNewEnough) return
  throw new ClienteleError(
    'configuration_invalid',
    `Clientele needs Node 22.14 or newer (of Node 23: 23.6 or newer), and this is Node ${version}.`,
  )
}
