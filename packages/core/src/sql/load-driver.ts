import { createRequire } from 'node:module'
import { ClienteleError } from '../base/errors.ts'

const load = createRequire(import.meta.url)

/**
 * Loads a database driver when a database is first opened with it. Hosts install drivers themselves. A static import
 * would fail without naming the missing package.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function loadDriver<Driver>(name: 'better-sqlite3' | 'pg'): Driver {
  try {
    return load(name) as Driver // the caller names the package's type
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
