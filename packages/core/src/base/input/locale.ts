import { z } from 'zod'
import { toLanguageTag } from './language-tag.ts'

const options = {
  params: { code: 'format' },
  message: 'must be a language tag (BCP 47), for instance pt-BR',
}

/** The language of a mail, in its canonical form. Its length is what RFC 5646, section 4.4.1, recommends. */
export const localeSchema = z
  .string()
  .regex(/^[A-Za-z0-9-]{2,35}$/, { message: options.message, abort: true })
  .refine((text) => toLanguageTag(text) !== undefined, options)
  .overwrite((text) => toLanguageTag(text) ?? text)
  .meta({ description: 'The language of the mail (BCP 47)', examples: ['pt-BR'] })
