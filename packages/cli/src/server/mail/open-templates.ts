import { createTemplateSearch, type FindTemplate } from './find-template.ts'
import { readTemplates } from './read-templates.ts'

/**
 * Reads the operator's templates, if there is a folder of them, and prepares the search for the texts of a mail.
 *
 * @throws SettingsError when templates cannot be used, or there is nothing in `defaultLocale`
 */
export async function openTemplates(
  folder: string | undefined,
  defaultLocale: string,
): Promise<FindTemplate> {
  const own = folder === undefined ? { all: {}, byLocale: new Map() } : await readTemplates(folder)
  return createTemplateSearch(own, defaultLocale)
}
