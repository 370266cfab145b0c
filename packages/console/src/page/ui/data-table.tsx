import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon.tsx'

export interface Column<Row> {
  key: string
  label: ComponentChildren
  cell: (row: Row) => ComponentChildren
  /** Left out on a page as narrow as a phone */
  isWideOnly?: boolean
  isNumber?: boolean
  /** The values of `sort` that sort by it, ascending and descending */
  sort?: { ascending: string; descending: string }
}

export interface DataTableProps<Row> {
  /** The name of the table, for screen readers */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The sorted column, and its order */
  sorting?: string
  onSort?: (sort: string) => void
  /** Older rows, while newer ones are on their way */
  isStale?: boolean
}

export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  const { caption, columns, rows, keyOf, isStale = false } = props
  return (
    <div class={isStale ? 'table-frame stale' : 'table-frame'} aria-busy={isStale}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} table={props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.key} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head<Row>({
  column,
  table: { sorting, onSort },
}: {
  column: Column<Row>
  table: DataTableProps<Row>
}): JSX.Element {
  const { label, sort } = column
  if (sort === undefined || onSort === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {label}
      </th>
    )
  }
  const isUp = sorting === sort.ascending
  const isDown = sorting === sort.descending
  return (
    <th
      scope="col"
      class={classOf(column)}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}
    >
      <button
        type="button"
        class="sort"
        onClick={() => onSort(isDown ? sort.ascending : sort.descending)}
      >
        {label}
        {(isUp || isDown) && <Icon name={isUp ? 'up' : 'down'} size={14} />}
      </button>
    </th>
  )
}

function classOf({
  isWideOnly,
  isNumber,
}: Pick<Column<unknown>, 'isWideOnly' | 'isNumber'>): string | undefined {
  return [isWideOnly && 'wide-only', isNumber && 'number'].filter(Boolean).join(' ') || undefined
}
