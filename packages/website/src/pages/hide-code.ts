const code = /^([ \t]*)(`{3,}).*?^\1\2[ \t]*$|`[^`\n]+`/gms

/** A page without its code, which changes of its prose must not touch. */
export interface Prose {
  text: string
  /** Puts the code back into the changed text */
  restore(changed: string): string
}

export function hideCode(page: string): Prose {
  const hidden: string[] = []
  const text = page.replaceAll(code, (found) => `⟦${hidden.push(found) - 1}⟧`)
  const restore = (changed: string): string =>
    changed.replaceAll(/⟦(\d+)⟧/g, (_, index) => hidden[Number(index)] ?? '')
  return { text, restore }
}
