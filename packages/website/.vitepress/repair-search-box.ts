/** What stands in the template of VitePress's search box, and what stands there for assistive technology to understand. */
const repairs: readonly (readonly [RegExp, string])[] = [
  [
    /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"\s+aria-labelledby="localsearch-label"/,
    'role="dialog" aria-modal="true" aria-label="Search"',
  ],
  [
    /aria-autocomplete="both"/,
    `role="combobox" aria-autocomplete="list" :aria-expanded="results?.length ? 'true' : 'false'"`,
  ],
  [
    /:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]+"\s+role="option"/,
    'role="presentation"',
  ],
  [
    /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
    `role="option" tabindex="-1" :id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'"`,
  ],
  // A key without a role has no name.
  [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
]

/**
 * A plugin of Vite. VitePress's search box is a button with fields in it, and its results are options with links in them:
 * it becomes a dialog, with a combobox whose options are the links.
 */
export function repairSearchBox() {
  return {
    name: 'repair-search-box',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | undefined {
      if (!id.endsWith('/VPLocalSearchBox.vue')) return undefined
      return repairs.reduce((text, [wrong, right]) => {
        if (!wrong.test(text))
          throw new Error(`The search box of VitePress has no ${wrong} any more.`)
        return text.replace(wrong, () => right)
      }, code)
    },
  }
}
