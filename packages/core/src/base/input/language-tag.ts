/** A language tag (BCP 47) in its canonical form: `pt-BR` of `pt-br`; undefined: the text is none. */
export function toLanguageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}
