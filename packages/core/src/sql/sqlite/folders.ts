import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents, from an absolute path. `mkdirSync` with `recursive` never ends on a file system
 * that answers ENOENT for folders it refuses to create, as /proc does.
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
