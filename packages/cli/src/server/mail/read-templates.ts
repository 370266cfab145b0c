import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mail } from '@clientele/core'
import { toLanguageTag } from '@clientele/core/database-url'
import { SettingsError } from '../settings/settings-error.ts'
import type { OwnTemplates } from './find-template.ts'
import type { MailTemplates } from './mail-template.ts'
import { kinds, listPlaceholders, placeholder } from './render-mail.ts'

const endings = ['subject.txt', 'txt', 'html']

/**
 * Reads the templates that replace ours, and those in folders that are named after a language (`pt-BR`). A kind of mail is
 * replaced as a whole: `<kind>.subject.txt` and `<kind>.txt`, and `<kind>.html` where it has one; the other kinds stay.
 *
 * @throws SettingsError with everything that is wrong in the folder
 */
export async function readTemplates(folder: string): Promise<OwnTemplates> {
  const entries = await list(folder)
  const locales = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const problems: string[] = []
  const byLocale = new Map<string, Partial<MailTemplates>>()
  for (const name of locales) {
    const tag = toLanguageTag(name)
    if (tag === undefined) problems.push(`has the folder ${name}: name it after a language, pt-BR.`)
    else
      byLocale.set(
        tag,
        await readFolder(folder, `${name}/`, await list(join(folder, name)), problems),
      )
  }
  const files = entries.filter((entry) => !entry.isDirectory())
  const all = await readFolder(folder, '', files, problems)
  if (problems.length > 0) {
    throw new SettingsError(problems.map((problem) => `MAIL_TEMPLATES ${problem}`))
  }
  return { all, byLocale }
}

async function readFolder(
  folder: string,
  prefix: string,
  entries: Dirent[],
  problems: string[],
): Promise<Partial<MailTemplates>> {
  const names = entries.map(({ name }) => name)
  const known = kinds.flatMap((kind) => endings.map((ending) => `${kind}.${ending}`))
  for (const name of names.filter((each) => !known.includes(each)))
    problems.push(
      `has the file ${prefix}${name}, which no mail uses. Known files: ${known.join(', ')}.`,
    )
  const templates: Partial<MailTemplates> = {}
  for (const kind of kinds) {
    const read = async (ending: string): Promise<string | undefined> => {
      const name = `${kind}.${ending}`
      if (!names.includes(name)) return undefined
      const text = await readFile(join(folder, prefix, name), 'utf8')
      problems.push(...checkTemplate(kind, prefix + name, text))
      return text
    }
    const [subject, text, html] = [await read('subject.txt'), await read('txt'), await read('html')]
    if (subject !== undefined && text !== undefined) templates[kind] = { subject, text, html }
    else if ((subject ?? text ?? html) !== undefined) {
      const needed = `${prefix}${kind}.subject.txt and ${prefix}${kind}.txt`
      problems.push(`needs both ${needed} to replace that mail.`)
    }
  }
  return templates
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    // Editors and operating systems create hidden files.
    const shown = entries.filter(({ name }) => !name.startsWith('.'))
    return shown.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new SettingsError([`MAIL_TEMPLATES must be a folder that can be read (${reason}).`])
  }
}

function checkTemplate(kind: Mail['kind'], name: string, text: string): string[] {
  const allowed = listPlaceholders(kind)
  const [secret = ''] = allowed
  const used = Array.from(text.matchAll(placeholder), ([, inside = '']) => inside.trim())
  const unknown = used.filter((each) => !allowed.includes(each))
  const problems = unknown.map(
    (each) =>
      `has {{${each}}} in ${name}, which is not known. Known placeholders: {{${allowed.join('}}, {{')}}}.`,
  )
  const isSubject = name.endsWith('.subject.txt')
  if (isSubject || used.includes(secret)) return problems
  return [...problems, `lacks {{${secret}}} in ${name}: the mail would be useless without it.`]
}
