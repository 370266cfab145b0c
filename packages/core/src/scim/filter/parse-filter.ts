import { ClienteleError } from '../../base/errors.ts'
import { isStorableText } from '../../base/input/json.ts'
import { withoutSchema } from '../attribute-name.ts'
import { type Comparison, type Filter, type Operator, operators } from './filter.ts'

const maxLength = 2_000
const maxComparisons = 50
const maxDepth = 10

// The alternatives of each repetition begin with different characters: so the pattern takes linear time.
const token = / *(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^ ()[\]"]+))/y
const controls = /\p{Cc}/u

/**
 * Parses a filter. Its length, depth and number of comparisons are bounded.
 *
 * @param attributes the supported ones, in lower case
 * @param references those of which only is known whether they have a certain id
 * @throws ClienteleError `scim_filter_invalid`
 */
export function parseFilter(
  text: string,
  attributes: ReadonlySet<string>,
  references: ReadonlySet<string> = new Set(),
): Filter {
  if (text.length > maxLength) throw invalid(`The filter is longer than ${maxLength} characters.`)
  if (controls.test(text)) throw invalid('The filter must not contain control characters.')
  return new FilterParser(split(text), attributes, references).parse()
}

function split(text: string): string[] {
  const tokens: string[] = []
  const trimmed = text.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < trimmed.length) {
    const found = token.exec(trimmed)
    if (found === null) throw invalid()
    tokens.push(found[1] ?? found[2] ?? found[3] ?? '')
  }
  return tokens
}

class FilterParser {
  readonly #tokens: readonly string[]
  readonly #attributes: ReadonlySet<string>
  readonly #references: ReadonlySet<string>
  #index = 0
  #comparisons = 0

  constructor(
    tokens: readonly string[],
    attributes: ReadonlySet<string>,
    references: ReadonlySet<string>,
  ) {
    this.#tokens = tokens
    this.#attributes = new Set([...attributes, ...references])
    this.#references = references
  }

  parse(): Filter {
    const filter = this.#either(0, '')
    if (this.#index < this.#tokens.length) throw invalid()
    return filter
  }

  get #next(): string {
    return this.#tokens[this.#index] ?? ''
  }

  #take(): string {
    const taken = this.#next
    this.#index++
    return taken
  }

  #takeIf(word: string): boolean {
    if (this.#next.toLowerCase() !== word) return false
    this.#index++
    return true
  }

  #expect(sign: string): void {
    if (this.#take() !== sign) throw invalid()
  }

  /** @param parent the attribute whose parts are compared, inside of brackets */
  #either(depth: number, parent: string): Filter {
    if (depth > maxDepth) throw invalid(`The filter nests deeper than ${maxDepth}.`)
    const parts = [this.#both(depth, parent)]
    while (this.#takeIf('or')) parts.push(this.#both(depth, parent))
    return combine('or', parts)
  }

  #both(depth: number, parent: string): Filter {
    const parts = [this.#single(depth, parent)]
    while (this.#takeIf('and')) parts.push(this.#single(depth, parent))
    return combine('and', parts)
  }

  #single(depth: number, parent: string): Filter {
    if (this.#takeIf('(')) {
      const inner = this.#either(depth + 1, parent)
      this.#expect(')')
      return inner
    }
    if (this.#next.toLowerCase() === 'not' && this.#tokens[this.#index + 1] === '(') {
      this.#index++
      return { kind: 'not', part: this.#single(depth + 1, parent) }
    }
    return this.#attributeExpression(depth, parent)
  }

  #attributeExpression(depth: number, parent: string): Filter {
    const name = this.#take()
    if (!/^[A-Za-z$][\w$.:-]*$/.test(name)) throw invalid()
    const attribute = parent === '' ? withoutSchema(name) : `${parent}.${name.toLowerCase()}`
    if (!this.#takeIf('[')) return this.#compare(attribute)
    if (parent !== '') throw invalid()
    const inner = this.#either(depth + 1, attribute)
    this.#expect(']')
    // `emails[type eq "work"].value eq "…"`
    if (!this.#next.startsWith('.')) return inner
    const further = this.#compare(`${attribute}${this.#take().toLowerCase()}`)
    return combine('and', [inner, further])
  }

  #compare(attribute: string): Comparison {
    if (++this.#comparisons > maxComparisons)
      throw invalid(`The filter has more than ${maxComparisons} comparisons.`)
    if (!this.#attributes.has(attribute))
      throw invalid(`Filters support the attributes ${[...this.#attributes].join(', ')}.`)
    const word = this.#take().toLowerCase()
    const operator = operators.find((each): each is Operator => each === word)
    if (operator === undefined)
      throw invalid(`Filters support the operators ${operators.join(', ')}.`)
    const value = operator === 'pr' ? null : readValue(this.#take())
    const isEquality = operator === 'eq' || operator === 'ne'
    if (this.#references.has(attribute) && !(isEquality && typeof value === 'string'))
      throw invalid(`Filters compare ${attribute} by eq and ne with an id.`)
    return { kind: 'compare', attribute, operator, value }
  }
}

function readValue(literal: string): Comparison['value'] {
  let value: unknown
  try {
    // Entra ID writes True and False, too.
    value = JSON.parse(/^(?:true|false)$/i.test(literal) ? literal.toLowerCase() : literal)
  } catch {
    throw invalid()
  }
  if (typeof value === 'string' && !isStorableText(value)) throw invalid()
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
    return value as Comparison['value'] // one of these
  throw invalid()
}

function combine(kind: 'and' | 'or', parts: readonly Filter[]): Filter {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : { kind, parts }
}

function invalid(message?: string): ClienteleError {
  return new ClienteleError('scim_filter_invalid', message)
}
