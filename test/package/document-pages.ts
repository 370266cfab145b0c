import { globSync } from 'node:fs'
import { root } from './source-files.ts'

/** What npm packs: READMEs of packages, and guides. A README stands at npm without its folder. */
export const packedPages = globSync('packages/*/{README.md,guides/*.md}', { cwd: root })

/** Pages of the site that stand nowhere else */
export const sitePages = globSync('packages/website/pages/**/*.md', { cwd: root })

/** Every page with examples for users */
export const examplePages = ['README.md', ...packedPages, ...sitePages]
