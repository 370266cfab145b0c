import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

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

/** Puts the names in a folder on disk. */
export function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  let handle: number
  try {
    handle = openSync(folder, 'r')
  } catch (error) {
    // A folder in which this user may write and not look cannot be synced.
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return
    throw error
  }
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
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
