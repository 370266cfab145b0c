import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')

export const repositoryUrl = 'https://github.com/clientele/clientele'

/** The path on this machine of a path in the repository. */
export function locate(path: string): string {
  return join(root, path)
}

export function readText(path: string): string {
  return readFileSync(locate(path), 'utf8')
}

export function isInRepository(path: string): boolean {
  return existsSync(locate(path))
}

export function isFolder(path: string): boolean {
  return statSync(locate(path)).isDirectory()
}

/** The paths that match a pattern, in the order of their names. */
export function findPaths(pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
}
