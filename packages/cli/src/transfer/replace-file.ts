import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ClienteleError } from '@clientele/core'

/**
 * Writes a file that is complete or not there, whatever was there before. It is written under a name that nobody can
 * foresee, so that no link is followed, and may then be read by its owner only: an export has personal data, if not hashes.
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
    // Its fault is met where it is awaited, or by `write` itself.
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

/** What is no plain file must not be renamed away. */
async function refuseDevice(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  const isSystems = /^\/(dev|proc)\//.test(resolve(file))
  if (isSystems || (found !== undefined && !found.isFile())) {
    throw new ClienteleError(
      'configuration_invalid',
      'Only a plain file can be written: without --file it goes to standard output.',
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
