import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mail } from '@clientele/core'
import { SettingsError } from '../settings/settings-error.ts'
import { defaultTemplates, type MailTemplates } from './default-templates.ts'
import { listPlaceholders, placeholder } from './render-mail.ts'

const kinds = Object.keys(defaultTemplates) as Mail['kind'][] // exactly these, by its type
const endings = ['subject.txt', 'txt', 'html']

/**
 * Reads the templates that replace ours. A kind of mail is replaced as a whole: `<kind>.subject.txt` and `<kind>.txt`, and
 * `<kind>.html` where it has one; the other kinds stay.
 *
 * @throws SettingsError with everything that is wrong in the folder
 */
export async function readTemplates(folder: string): Promise<MailTemplates> {
  const names = await listFiles(folder)
  const known = kinds.flatMap((kind) => endings.map((ending) => `${kind}.${ending}`))
  const problems = names
    .filter((name) => !known.includes(name))
    .map((name) => `has the file ${name}, which no mail uses. Known files: ${known.join(', ')}.`)
  const templates = { ...defaultTemplates }
  for (const kind of kinds) {
    const read = async (ending: string): Promise<string | undefined> => {
      const name = `${kind}.${ending}`
      if (!names.includes(name)) return undefined
      const text = await readFile(join(folder, name), 'utf8')
      problems.push(...checkTemplate(kind, name, text))
      return text
    }
    const [subject, text, html] = [await read('subject.txt'), await read('txt'), await read('html')]
    if (subject !== undefined && text !== undefined) templates[kind] = { subject, text, html }
    else if ((subject ?? text ?? html) !== undefined) {
      problems.push(`needs both ${kind}.subject.txt and ${kind}.txt to replace that mail.`)
    }
  }
  if (problems.length > 0) {
    throw new SettingsError(problems.map((problem) => `MAIL_TEMPLATES ${problem}`))
  }
  return templates
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    // Editors and operating systems create hidden files.
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
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
