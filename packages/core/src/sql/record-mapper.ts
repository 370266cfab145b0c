import type { Expression } from 'kysely'
import { fromWireName } from '../base/input/wire-names.ts'
import type { ParameterOf } from './db.ts'
import type { Column } from './tables/column.ts'
import { type Database, tables } from './tables/tables.ts'

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer First}${infer Rest}`
  ? `${Head}${Uppercase<First>}${CamelCase<Rest>}`
  : Name
type ColumnOf<Table extends keyof Database> = keyof Database[Table] & string
type Described<
  Table extends keyof Database,
  Name extends PropertyKey,
> = Name extends keyof (typeof tables)[Table]['columns']
  ? (typeof tables)[Table]['columns'][Name]
  : never

/** A record made from a row: camelCase names, booleans, and parsed JSON. */
type RecordOf<Table extends keyof Database, Name extends ColumnOf<Table>> = {
  [Each in Name as CamelCase<Each>]: Described<Table, Each> extends { holdsJson: true }
    ? unknown
    : Described<Table, Each> extends { kind: 'flag' }
      ? boolean
      : Database[Table][Each]
}

/** A record as parameters of a statement */
type ValuesOf<Table extends keyof Database, Name extends ColumnOf<Table>> = {
  [Each in Name as CamelCase<Each>]: Database[Table][Each]
}

interface RecordMapper<Kept, Table extends keyof Database, Name extends ColumnOf<Table>> {
  columns: readonly Name[]
  toRecord(row: Pick<Database[Table], Name>): Kept
  toValues(record: Kept): ValuesOf<Table, Name>
  /** The columns for an insert or an update, from the parameters of a record */
  assign<Left extends Name = never>(
    value: ParameterOf<ValuesOf<Table, Exclude<Name, Left>>>,
    without?: readonly Left[],
  ): { [Each in Exclude<Name, Left>]: Expression<Database[Table][Each]> }
}

/**
 * Converts a table's rows to records and back, by the table's description, without the named columns. If the record's
 * members differ from the columns, the result's type is a text that says so, and using it does not compile.
 */
export function mapRecords<Kept extends object>() {
  return <Table extends keyof Database, Left extends ColumnOf<Table>>(
    table: Table,
    ...without: readonly Left[]
  ): Kept extends RecordOf<Table, Exclude<ColumnOf<Table>, Left>>
    ? keyof Kept extends keyof RecordOf<Table, Exclude<ColumnOf<Table>, Left>>
      ? RecordMapper<Kept, Table, Exclude<ColumnOf<Table>, Left>>
      : 'a member has no column'
    : 'a column has no member, or one of another type' => {
    const fields = Object.entries<Column>(tables[table].columns)
      .filter(([column]) => !(without as readonly string[]).includes(column))
      .map(([column, { kind, holdsJson = false }]) => ({
        column,
        name: fromWireName(column),
        isFlag: kind === 'flag',
        holdsJson,
      }))
    const mapper = {
      columns: fields.map(({ column }) => column),
      toRecord: (row: Record<string, unknown>) => {
        const record: Record<string, unknown> = {}
        for (const { column, name, isFlag, holdsJson } of fields) {
          const value = row[column]
          if (holdsJson && value !== null) record[name] = JSON.parse(String(value))
          else record[name] = isFlag ? Boolean(value) : value
        }
        return record
      },
      toValues: (record: Record<string, unknown>) =>
        Object.fromEntries(
          fields.map(({ name, holdsJson }) => {
            const value = record[name]
            return [name, holdsJson && value !== null ? JSON.stringify(value) : value]
          }),
        ),
      assign: (value: (name: string) => unknown, left: readonly string[] = []) =>
        Object.fromEntries(
          fields
            .filter(({ column }) => !left.includes(column))
            .map(({ column, name }) => [column, value(name)]),
        ),
    }
    return mapper as never // one record member per column
  }
}
