import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../../base/runtime/system-code.ts'

/**
 * Creates a folder and its parents, from an absolute path, and syncs their names. `mkdirSync` with `recursive` never ends
 * on a file system that answers ENOENT for folders it refuses to create, as /proc does.
 */
export function makeFolders(path: string): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makeFolders(above)
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error
  }
  // Without this a power cut could lose the folder with all that is synced in it.
  syncFolder(above)
}

/**
 * What a folder answers that cannot be synced: this user may write to the folder and not read it; Node's permission model forbids
 * it; the file system has no such call, or is mounted for reading. The names in it are as safe as the file system makes
 * them.
 */
const unsyncable = ['EACCES', 'ERR_ACCESS_DENIED', 'EINVAL', 'ENOTSUP', 'EROFS']

/** Puts the names in a folder on disk, where the system allows it. */
export function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  try {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (!unsyncable.includes(String(systemCode(error)))) throw error
  }
}

/** The path itself, or its nearest existing parent. */
export function findNearest(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path
  const above = dirname(path)
  return above === path ? undefined : findNearest(above)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
