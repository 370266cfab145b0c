import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ClienteleError } from '@clientele/core'

/**
 * Writes a file, or replaces an existing one, only as a whole. It is first written under an unpredictable name, so that
 * no symbolic link is followed. Only its owner may read it: an export has personal data.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export async function replaceFile<T>(
  file: string,
  write: (output: Writable) => Promise<T>,
): Promise<T> {
  await refuseDevice(file)
  const partial = join(dirname(file), `.clientele-${randomBytes(12).toString('base64url')}.partial`)
  const handle = await create(partial)
  try {
    const output = handle.createWriteStream({ flush: true })
    const ended = finished(output)
    // The error appears where the promise is awaited, or in `write`.
    ended.catch(() => {})
    const result = await write(output).finally(() => output.end())
    await ended
    await rename(partial, file)
    return result
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** Only a regular file may be replaced. */
async function refuseDevice(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  const isSystems = /^\/(dev|proc)\//.test(resolve(file))
  if (isSystems || (found !== undefined && !found.isFile())) {
    throw new ClienteleError(
      'configuration_invalid',
      'The command can write only to a regular file; without --file it writes to standard output.',
    )
  }
}

async function create(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600)
  } catch (cause) {
    throw new ClienteleError('configuration_invalid', 'The file cannot be written.', { cause })
  }
}
