import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const guide = join(import.meta.dirname, '../../packages/core/guides/importing-users.md')

/** A fenced block of the guide: what follows its language is the name of a file. */
interface Block {
  language: string
  file: string
  text: string
}

/** A section of the guide that ends in a file to import. */
export interface Recipe {
  title: string
  /** What the reader writes to files: scripts, queries, samples of exports */
  files: Block[]
  /** The lines that are imported, as the guide shows them */
  users: string
  /** Of the first user */
  password: string
  /** `node …` or `psql …`, without where its output goes; absent where the lines are made by other means */
  convert: string[] | undefined
  /** What follows `clientele`, with `ID` for the account */
  importArguments: string[]
  /** The same for a file whose columns have other names, if the section has one */
  mappedArguments: string[] | undefined
}

export async function readRecipes(): Promise<Recipe[]> {
  const sections = (await readFile(guide, 'utf8')).split(/^## /m)
  return sections.filter((section) => section.includes('users.ndjson\n{')).map(readRecipe)
}

function readRecipe(section: string): Recipe {
  const [title = ''] = section.split('\n')
  const blocks = [...section.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, language = '', file = '', text = '']) => ({ language, file, text }),
  )
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'))
  const convert = commands.find((line) => /^(?:node|PGTZ=UTC psql) .* > users\.ndjson$/.test(line))
  const importing = commands.find((line) => line.startsWith('npx clientele user import '))
  const mapped = commands.find((line) => line.includes(' --map '))
  const users = blocks.find(({ file }) => file === 'users.ndjson')?.text
  const password = /^Password of the sample: `([^`]+)`\.$/m.exec(section)?.[1]
  if (importing === undefined || users === undefined || password === undefined) {
    throw new Error(`The section "${title}" lacks its import, its lines or their password.`)
  }
  return {
    title,
    files: blocks.filter(({ file }) => file !== '' && file !== 'users.ndjson'),
    users,
    password,
    convert: convert?.replace(' > users.ndjson', '').split(' '),
    importArguments: importing.split(' ').slice(2),
    mappedArguments: mapped?.split(' ').slice(2),
  }
}
