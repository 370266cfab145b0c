import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/**
 * Puts the apps' sources into `dist`, in TypeScript and in JavaScript, with the versions that they were tried with.
 *
 * @param here the folder of this package
 */
export async function writeTemplates(here: string): Promise<void> {
  const folder = join(here, 'dist/app')
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(join(here, 'src/app'))) {
    const text = await readFile(join(here, 'src/app', name), 'utf8')
    await writeFile(join(folder, name), text)
    await writeFile(join(folder, name.replace(/ts$/, 'js')), toJavaScript(text))
  }
  await writeFile(
    join(here, 'dist/versions.json'),
    JSON.stringify(await readVersions(here), null, 2),
  )
}

// Node calls it experimental with each build; tests start what comes of it.
process.removeAllListeners('warning')

/** Types become spaces: those are taken out, with the lines that had nothing else. */
export function toJavaScript(text: string): string {
  const lines = stripTypeScriptTypes(text, { mode: 'strip' }).split('\n')
  const tidy = lines.map((line, index) => {
    const written = text.split('\n')[index] ?? ''
    if (line === written) return line
    const indent = /^ */.exec(written)?.[0] ?? ''
    const rest = line
      .trim()
      .replace(/ {2,}/g, '  ')
      .replace(/ {2}([,;()])/g, '$1')
      .replace(/ {2}/g, ' ')
    const imports = rest.replace(/,? ?\{ ,? ?\} from/, ' from').replace(/, \} from/, ' } from')
    return rest === '' ? undefined : indent + imports
  })
  const code = tidy.filter((line) => line !== undefined).join('\n')
  return `${code
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")}\n`
}

async function readVersions(here: string): Promise<Record<string, string>> {
  const { devDependencies } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'))
  const names = Object.keys(devDependencies)
  const versions = names.map(async (name) => {
    const file = join(here, 'node_modules', name, 'package.json')
    return [name, `^${JSON.parse(await readFile(file, 'utf8')).version}`]
  })
  return Object.fromEntries(await Promise.all(versions))
}
