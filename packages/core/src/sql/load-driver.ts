import { createRequire } from 'node:module'
import { ClienteleError } from '../base/errors.ts'

const load = createRequire(import.meta.url)

/**
 * Loads the driver of a database when one is opened with it. Hosts install drivers themselves, and whoever lacks one
 * is told which: an import could only fail.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function loadDriver<Driver>(name: 'better-sqlite3' | 'pg'): Driver {
  try {
    return load(name) as Driver // what the package of that name exports
  } catch (cause) {
    const isMissing =
      cause instanceof Error &&
      'code' in cause &&
      cause.code === 'MODULE_NOT_FOUND' &&
      cause.message.includes(`'${name}'`)
    if (!isMissing) throw cause
    throw new ClienteleError(
      'configuration_invalid',
      `The package ${name} is not installed: npm install ${name}`,
      { cause },
    )
  }
}
