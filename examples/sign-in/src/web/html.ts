/** Text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | boolean | undefined | Html | Html[]

/** HTML whose values are escaped, unless they are HTML themselves. `true`, `false` and undefined write nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const texts = parts.map((part, index) => (index === 0 ? part : write(values[index - 1]) + part))
  return new Html(texts.join(''))
}

function write(value: Value): string {
  if (Array.isArray(value)) return value.map(({ text }) => text).join('\n')
  if (value instanceof Html) return value.text
  return value === undefined || typeof value === 'boolean' ? '' : escapeHtml(String(value))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (found) => entities[found] ?? '')
