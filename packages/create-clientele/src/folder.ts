import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'

/** What is wrong with a folder for a new app; undefined when nothing is. */
export function checkFolder(folder: string): string | undefined {
  const path = resolve(folder)
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) return `${folder} is a file: name a folder.`
    if (readdirSync(path).some((name) => name !== '.git'))
      return `${folder} is not empty: name a new folder.`
  }
  if (toPackageName(folder) === '')
    return `${folder} has no letter or digit: the name of the package is made from it.`
  return undefined
}

/** The name of a package after its folder, as npm allows it */
export function toPackageName(folder: string): string {
  const words = basename(resolve(folder))
    .toLowerCase()
    .split(/[^a-z0-9._~]+/)
  const name = words.filter((word) => word !== '').join('-')
  return name.replace(/^[._~-]+/, '').slice(0, 214)
}
