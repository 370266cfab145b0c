import { ClienteleError } from '../errors.ts'

/** The oldest Node by major version, as `engines` in every package.json has it: better-sqlite3 needs its Node-API 10. */
const oldestMinors: Record<number, number> = { 22: 14, 23: 6 }
const newestMajor = 23

/**
 * Refuses a Node that is too old, on which the SQLite driver would end the process without a word.
 *
 * @throws ClienteleError `configuration_invalid`, which says what is needed and what is there
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
