import type { Mail } from '@clientele/core'
import { SettingsError } from '../settings/settings-error.ts'
import { languages } from './languages.ts'
import type { MailTemplate, MailTemplates } from './mail-template.ts'
import { toTemplates } from './to-templates.ts'

/** The texts that the operator has written. */
export interface OwnTemplates {
  /** For every language that has none of its own */
  all: Partial<MailTemplates>
  /** By the tag of the language, in its canonical form */
  byLocale: ReadonlyMap<string, Partial<MailTemplates>>
}

/** Finds the texts of a mail. */
export type FindTemplate = (mail: Pick<Mail, 'kind' | 'locale'>) => MailTemplate

/**
 * Chooses the texts by the language that the request named, else by `defaultLocale`: `pt-BR`, then `pt` (RFC 4647, lookup).
 * The operator's texts go before ours, because only theirs have links.
 *
 * @throws SettingsError if there is nothing in `defaultLocale`
 */
export function createTemplateSearch(own: OwnTemplates, defaultLocale: string): FindTemplate {
  const ours = new Map(
    Object.entries(languages).map(([tag, words]) => [tag, toTemplates(tag, words)]),
  )
  const isKnown = (tag: string) => ours.has(tag) || own.byLocale.has(tag)
  if (!rangesOf(defaultLocale).some(isKnown)) {
    const known = [...new Set([...ours.keys(), ...own.byLocale.keys()])].join(', ')
    throw new SettingsError([`MAIL_LOCALE must be one of ${known}, or a folder of MAIL_TEMPLATES.`])
  }
  return ({ kind, locale }) => {
    const named = locale === undefined ? [] : rangesOf(locale)
    const ranges = [...named, ...rangesOf(defaultLocale)]
    const ofOwn = ranges.map((tag) => own.byLocale.get(tag)?.[kind])
    const ofOurs = [...ranges, 'en'].map((tag) => ours.get(tag)?.[kind])
    const found = [...ofOwn, own.all[kind], ...ofOurs].find((template) => template !== undefined)
    if (found === undefined) throw new Error(`There is no text of ${kind}.`)
    return found
  }
}

/** `zh-Hant-TW`, `zh-Hant`, `zh` */
function rangesOf(locale: string): string[] {
  const parts = locale.split('-')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}
