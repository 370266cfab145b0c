import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it, from an absolute path. `mkdirSync` with `recursive` never ends where a file system
 * answers ENOENT to what it will not make, as /proc does.
 */
export function makeFolders(path: string): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makeFolders(above)
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error
  }
}

/** What of a path is there: the path itself, or the nearest above it. */
export function findNearest(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path
  const above = dirname(path)
  return above === path ? undefined : findNearest(above)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
