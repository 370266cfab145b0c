import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import type { Entry, Section } from '../src/pages/page.ts'
import { repositoryUrl } from '../src/pages/repository.ts'
import { slugify } from '../src/pages/slugify.ts'
import { repairSearchBox } from './repair-search-box.ts'

const folder = join(import.meta.dirname, '..')
const written = readFileSync(join(folder, 'dist/pages/sections.json'), 'utf8')
const sections: Section[] = JSON.parse(written)

function toItem({ title, link, entries }: Entry): DefaultTheme.SidebarItem {
  if (entries === undefined) return { text: title, link }
  return { text: title, link, collapsed: true, items: entries.map(toItem) }
}

/** A heading with one page is a link to it, and looks like the other headings because of its empty list. */
function toHeading({ title, entries }: Section): DefaultTheme.SidebarItem {
  const [first, ...more] = entries
  if (first !== undefined && more.length === 0) return { text: title, link: first.link, items: [] }
  return { text: title, collapsed: title !== 'Quick start', items: entries.map(toItem) }
}

const firstOf = (heading: string): string =>
  sections.find(({ title }) => title === heading)?.entries[0]?.link ?? '/'

export default defineConfig({
  lang: 'en',
  title: 'Clientele',
  description:
    'Multi-tenant authentication for Node: each of your customers has its own users, in your database; you call it in process, and their backends call it over HTTP with an API key.',
  srcDir: 'dist/pages',
  cacheDir: 'dist/cache',
  vite: { plugins: [repairSearchBox()] },
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Quick start', link: firstOf('Quick start') },
      { text: 'Reference', link: firstOf('Reference') },
      { text: 'GitHub', link: repositoryUrl },
    ],
    sidebar: sections.map(toHeading),
    outline: [2, 3],
    search: { provider: 'local' },
    editLink: {
      // It runs in the browser, from its own text.
      pattern: ({ frontmatter }) =>
        `https://github.com/clientele/clientele/edit/main/${frontmatter.source}`,
      text: 'Edit this page on GitHub',
    },
  },
})
