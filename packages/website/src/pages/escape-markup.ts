import { hideCode } from './hide-code.ts'

const bracket = /<(?!\/?(?:a|br|details|img|kbd|picture|source|sub|summary|sup)\b|!--|https?:)/g

/** Outside of code a page has a little HTML; other angle brackets are text, and braces are no template of Vue. */
export function escapeMarkup(page: string): string {
  const prose = hideCode(page)
  return prose.restore(prose.text.replaceAll(bracket, '&lt;').replaceAll('{{', '&#123;&#123;'))
}
