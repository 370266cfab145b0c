/** A table of ours where a statement names it: to read or to change it, or to add to it. */
export interface TableReference {
  table: string
  alias: string
  /** Whether it has an equality of its own of its account with a parameter: `account_id = $1` */
  isOfOneAccount: boolean
}

type Node = string | Node[]

const token =
  /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$\d+|\?|::|[A-Za-z_]\w*|[\d.]*\d|[-+*/%<>=!|&~@#^]+|[(),.;[\]]/y
const queries = new Set(['select', 'insert', 'update', 'delete', 'with'])
/** What ends a condition */
const clauses = new Set(
  'from where on join inner left right full cross group order limit offset returning for set having window values do using'.split(
    ' ',
  ),
)

/** Every table of ours that a statement as Kysely writes it names, with those in its subqueries. */
export function readTableReferences(sql: string): TableReference[] {
  const found: TableReference[] = []
  readQueries(toTree(sql), found)
  return found
}

function readQueries(nodes: readonly Node[], found: TableReference[]): void {
  for (const part of split(nodes, ['union', 'except', 'intersect'])) {
    const [first = ''] = part
    if (typeof first === 'string' && queries.has(first)) readQuery(part, found)
  }
  for (const node of nodes) if (typeof node !== 'string') readQueries(node, found)
}

function readQuery(nodes: readonly Node[], found: TableReference[]): void {
  const conditions = listConditions(nodes)
  const references = listReferences(nodes)
  const read = references.filter(({ isAdded }) => !isAdded)
  /** The columns that say whose the rows are, where a parameter says it */
  const bound: string[] = []
  for (const { table, alias } of read) {
    const column = columnOf(table)
    const own = [`"${alias}" . ${column}`, ...(read.length === 1 ? [column] : [])]
    const isOfOneAccount = conditions.some((each) => isEquality(each, own))
    if (isOfOneAccount) bound.push(...own)
    found.push({ table, alias, isOfOneAccount })
  }
  for (const { table, alias, at } of references.filter(({ isAdded }) => isAdded)) {
    const isOfOneAccount = addsToOneAccount(nodes.slice(at + 1), columnOf(table), bound)
    found.push({ table, alias, isOfOneAccount })
  }
}

function columnOf(table: string): string {
  return table === 'clientele_accounts' ? '"id"' : '"account_id"'
}

function listReferences(nodes: readonly Node[]) {
  return nodes.flatMap((node, at) => {
    const isTable = typeof node === 'string' && /^"clientele_\w+"$/.test(node)
    // A column's table is followed by a dot; a column may be called like a table.
    if (!isTable || nodes[at + 1] === '.' || nodes[at - 1] === 'as') return []
    const named = nodes[at + 1] === 'as' ? nodes[at + 2] : node
    const alias = String(named).slice(1, -1)
    return [{ table: node.slice(1, -1), alias, at, isAdded: nodes[at - 1] === 'into' }]
  })
}

/** What must hold for each row: the parts of conditions that `and` connects. */
function listConditions(nodes: readonly Node[]): Node[][] {
  const conditions: Node[][] = []
  for (const [at, node] of nodes.entries()) {
    if (node !== 'where' && node !== 'on') continue
    const rest = nodes.slice(at + 1)
    const end = rest.findIndex((each) => typeof each === 'string' && clauses.has(each))
    conditions.push(...splitCondition(end === -1 ? rest : rest.slice(0, end)))
  }
  return conditions
}

function splitCondition(nodes: readonly Node[]): Node[][] {
  if (nodes.includes('or')) return []
  return split(nodes, ['and']).flatMap((part) => {
    const [only] = part
    return part.length === 1 && Array.isArray(only) ? splitCondition(only) : [part]
  })
}

function isEquality(nodes: readonly Node[], columns: readonly string[]): boolean {
  const at = nodes.indexOf('=')
  const sides = [nodes.slice(0, at), nodes.slice(at + 1)]
  return at > 0 && sides.some((side) => columns.includes(side.join(' '))) && sides.some(isParameter)
}

/** A parameter, with a cast or without: `$1`, `+?`, `cast($1 as uuid)`, `$1::uuid` */
function isParameter(nodes: readonly Node[]): boolean {
  const [first, second] = nodes
  if (first === 'cast' && Array.isArray(second)) return isParameter(second.slice(0, -2))
  return /^(\+ )?(\$\d+|\?)( :: \w+)?$/.test(nodes.join(' '))
}

/**
 * Whether a parameter says whose the rows are that are added, or a column of a table that is read and has an equality
 * with one: `nodes` follow the table's name.
 */
function addsToOneAccount(
  nodes: readonly Node[],
  column: string,
  bound: readonly string[],
): boolean {
  const named = nodes.find((node) => Array.isArray(node)) ?? []
  const place = split(named as Node[], [',']).findIndex(([name]) => name === column)
  const values = nodes.indexOf('values')
  if (values !== -1) {
    const end = nodes.indexOf('on', values)
    const rows = nodes.slice(values + 1, end === -1 ? undefined : end).filter(Array.isArray)
    return rows.every((row) => isParameter(split(row, [','])[place] ?? []))
  }
  const select = nodes.indexOf('select')
  const from = nodes.indexOf('from', select)
  const selected =
    split(nodes.slice(select + 1, from === -1 ? undefined : from), [','])[place] ?? []
  const as = selected.indexOf('as')
  const expression = as === -1 ? selected : selected.slice(0, as)
  return isParameter(expression) || bound.includes(expression.join(' '))
}

function split(nodes: readonly Node[], by: readonly string[]): Node[][] {
  const parts: Node[][] = [[]]
  for (const node of nodes) {
    if (typeof node === 'string' && by.includes(node)) parts.push([])
    else if (!(node === 'all' && parts.at(-1)?.length === 0)) parts.at(-1)?.push(node)
  }
  return parts
}

/** The statement's words; what is in parentheses is a list of its own. */
function toTree(sql: string): Node[] {
  const open: Node[][] = [[]]
  let at = 0
  while (at < sql.length) {
    if (/\s/.test(sql.charAt(at))) {
      at++
      continue
    }
    token.lastIndex = at
    const word = token.exec(sql)?.[0]
    if (word === undefined) throw new Error(`Not understood at ${at}: ${sql.slice(at, at + 40)}`)
    at += word.length
    if (word === '(') {
      const group: Node[] = []
      open.at(-1)?.push(group)
      open.push(group)
    } else if (word === ')') open.pop()
    else open.at(-1)?.push(/^[A-Z]/i.test(word) ? word.toLowerCase() : word)
  }
  const [whole = []] = open
  if (open.length !== 1) throw new Error(`Parentheses do not match: ${sql}`)
  return whole
}
