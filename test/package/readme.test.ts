import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { examplePages, packedPages, sitePages } from './document-pages.ts'
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

/** Where a page begins to install packages of ours, or draws such a block of another page */
const firstInstall =
  /^```sh\n(?:(?!```).*\n)*?(?:npm install .*@clientele\/|npm create clientele|npx clientele)|^<!-- block packages\/\w+\/README\.md sh 1 -->/m

test.each(examplePages)('%s says how to install what is not released', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const { index } = firstInstall.exec(text) ?? {}
  if (index !== undefined)
    expect(text.slice(0, index).toLowerCase()).toContain('#before-the-first-release')
})

/** They are of the shell, or the setting that names the database of all commands. */
const knownVariables = ['PWD', 'DATABASE_URL']

test.each(examplePages)('the commands of %s use no variable that it does not set', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  // Parts of the site's pages are put together with the block that sets them.
  const parts = [...text.matchAll(/^<!-- part (\S+) -->$/gm)].map(([, name = '']) =>
    readFileSync(join(root, 'packages/website/parts', name), 'utf8'),
  )
  const blocks = [...parts, text]
    .flatMap((each) => [...each.matchAll(/^```sh\n(.*?)^```$/gms)])
    .map(([, block = '']) => block)
    .join('\n')
  const set = [...blocks.matchAll(/(?:^|\s)([A-Z][A-Z_]+)=/gm)].map(([, name]) => name)
  const used = [...blocks.matchAll(/\$\{?([A-Z][A-Z_]+)/g)].map(([, name]) => name)
  const known = [...set, ...knownVariables]
  expect(used.filter((name) => !known.includes(name))).toEqual([])
})

test('the README of the repository has at most 150 lines', () => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(150)
})
