import { posix } from 'node:path'
import type { SourceFile } from './source-files.ts'

/** The ways that lead back to where they began, each once. */
export function findCircles(edges: ReadonlyMap<string, Iterable<string>>): string[] {
  const left = new Map(edges)
  const circles: string[] = []
  const walk = (name: string, way: readonly string[]): void => {
    if (way.includes(name)) {
      circles.push([...way.slice(way.indexOf(name)), name].join(' → '))
      return
    }
    for (const next of left.get(name) ?? []) walk(next, [...way, name])
    // All ways from here are known.
    left.delete(name)
  }
  for (const name of edges.keys()) walk(name, [])
  return circles
}

/** Circles among what stands in one folder: its files, and its folders with all that is in them. Every folder is looked at. */
export function findFolderCircles(files: readonly SourceFile[]): string[] {
  const names = new Set(files.map(({ name }) => name))
  const pairs = files.flatMap(({ name, imports }) =>
    imports.flatMap(({ file }) =>
      file !== undefined && names.has(file) ? [[name, file] as const] : [],
    ),
  )
  const folders = new Set([...names].flatMap(listFolders))
  return [...folders].flatMap((folder) => {
    const inside = (name: string) =>
      name.startsWith(`${folder}/`) ? name.slice(folder.length + 1).split('/')[0] : undefined
    const edges = new Map<string, Set<string>>()
    for (const [from, to] of pairs) {
      const [a, b] = [inside(from), inside(to)]
      if (a === undefined || b === undefined || a === b) continue
      edges.set(a, (edges.get(a) ?? new Set()).add(b))
    }
    return findCircles(edges).map((circle) => `${folder}: ${circle}`)
  })
}

function listFolders(name: string): string[] {
  const folder = posix.dirname(name)
  return folder === '.' ? [] : [folder, ...listFolders(folder)]
}
