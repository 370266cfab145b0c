import { type OperationNode, type RootOperationNode, SelectQueryNode } from 'kysely'
import type { Statement } from './statement.ts'
import { tables } from './tables/tables.ts'

/** A statement that returns all its rows as one text */
export interface JsonStatement {
  /** Its tables are in braces, without a schema. */
  text: string
  columns: string[]
}

const made = new WeakMap<object, JsonStatement>()

export function toJsonStatement(statement: Statement<never, unknown>): JsonStatement {
  let json = made.get(statement)
  if (json === undefined) {
    const { query, sql } = statement.compiled
    const columns = namesOf(query)
    json = { text: wrap(sql, columns), columns }
    made.set(statement, json)
  }
  return json
}

const jsonColumns = new Set(
  Object.values(tables).flatMap(({ columns }) =>
    Object.entries<{ kind: string }>(columns).flatMap(([name, { kind }]) =>
      kind === 'json' ? [name] : [],
    ),
  ),
)

/** Returns all rows as one text. JSON stays text in it, so that its members keep their order. */
function wrap(sql: string, columns: readonly string[]): string {
  const inBraces = sql.replaceAll(
    /\b(from|join) (?:"(?:[^"]|"")*"\.)?"(clientele_\w+)"/g,
    (_, keyword: string, table: string) => `${keyword} {${table}}`,
  )
  const values = columns.map((name) =>
    jsonColumns.has(name) ? `cast("rows"."${name}" as text)` : `"rows"."${name}"`,
  )
  return `select cast(coalesce(json_agg(json_build_array(${values.join(', ')})), '[]') as text) from (${inBraces}) as "rows"`
}

/** The names of the columns that a statement returns */
function namesOf(node: RootOperationNode): string[] {
  if (!SelectQueryNode.is(node)) throw new Error('Only a select is read there.')
  return (node.selections ?? []).map(({ selection }) => nameOf(selection))
}

function nameOf(node: OperationNode): string {
  const { alias, column, name } = node as {
    alias?: OperationNode
    column?: OperationNode
    name?: string
  } & OperationNode // the members of the nodes that a selection consists of
  if (typeof name === 'string') return name
  const inner = alias ?? column
  if (inner === undefined) throw new Error('A column has no name.')
  return nameOf(inner)
}

export function toRows<Row>(text: string, columns: readonly string[]): Row[] {
  const lists = JSON.parse(text) as unknown[][] // as the prepared statement makes them
  return lists.map(
    (values) => Object.fromEntries(columns.map((name, index) => [name, values[index]])) as Row, // its columns
  )
}
