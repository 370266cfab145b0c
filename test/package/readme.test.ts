import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packedPages, sitePages } from './document-pages.ts'
import { root } from './source-files.ts'

const repository = 'https://github.com/clientele/clientele/'
/** Pages of GitHub's, not files of ours */
const ofGitHub = [`${repository}security/advisories/new`, `${repository}issues`]
/** Made when the site is built, which checks them */
const ofSite = /^\/(reference|problem)\//
const ownPages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', '.github/CODE_OF_CONDUCT.md']
const pages = [...ownPages, ...packedPages, ...sitePages]

function readLinks(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}

test.each(pages)('the links of %s have targets', (page) => {
  const links = readLinks(page)
  const broken = links.filter((link) => {
    const [target = ''] = link.split('#')
    if (target === '' || ofGitHub.includes(target)) return false
    if (sitePages.includes(page) && ofSite.test(target)) return false
    const ours = /^(?:blob|tree)\/main\/(.+)$/.exec(target.replace(repository, ''))?.[1]
    if (target.startsWith(repository)) return ours === undefined || !existsSync(join(root, ours))
    return !/^https?:/.test(target) && !existsSync(join(root, dirname(page), target))
  })
  expect(broken).toEqual([])
})

// npm shows a README without the folder that it stands in.
test.each(packedPages)('%s has no link that only the repository can follow', (page) => {
  expect(readLinks(page).filter((link) => !/^(https:|#)/.test(link))).toEqual([])
})

test('the README of the repository has at most 150 lines', () => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(150)
})
