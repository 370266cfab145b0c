import { ClienteleError, importColumns } from '@clientele/core'
import leven from 'leven'
import { UsageError } from '../usage-error.ts'

/** A longer name is not compared: the time grows with the product of the lengths. */
const maxComparedLength = 64

/** Reads the columns of a file under other names, and leaves some out. */
export class ColumnMap {
  readonly #names: ReadonlyMap<string, string>
  readonly #ignored: ReadonlySet<string>
  readonly #found = new Set<string>()

  /**
   * @param pairs `COLUMN=NAME` each, as `--map` takes them
   * @throws UsageError when a pair is incomplete, names a column that no import takes, or contradicts another option
   */
  constructor(pairs: readonly string[], ignored: ReadonlySet<string>) {
    const names = new Map<string, string>()
    for (const pair of pairs) {
      const at = pair.lastIndexOf('=')
      const [column, name] = [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)]
      if (column === '' || name === '')
        throw new UsageError(`Write --map COLUMN=NAME, for instance full_name=name, not "${pair}".`)
      if (!isKnown(name)) {
        throw new UsageError(
          `--map ${pair}: no import takes the column "${name}"${endWith(suggestColumn(name, importColumns))} ` +
            `Known columns: ${importColumns.join(', ')}.`,
        )
      }
      if (names.has(column)) throw new UsageError(`--map names the column "${column}" twice.`)
      if ([...names.values()].includes(name))
        throw new UsageError(`--map reads two columns as ${name}.`)
      if (ignored.has(column))
        throw new UsageError(`--map and --ignore both name the column "${column}".`)
      names.set(column, name)
    }
    this.#names = names
    this.#ignored = ignored
  }

  /** What the file is imported as, for the continuation of an interrupted import */
  get text(): string {
    return [...this.#names].map((pair) => pair.join('=')).join()
  }

  /** The name under which a column is imported; undefined: it is left out. */
  nameOf(column: string): string | undefined {
    return this.#ignored.has(column) ? undefined : (this.#names.get(column) ?? column)
  }

  /** Reads the members of a line under their names. */
  rename(value: Record<string, unknown>): Record<string, unknown> {
    if (this.#names.size === 0 && this.#ignored.size === 0) return value
    const members = Object.entries(value).flatMap(([column, cell]) => {
      const name = this.nameOf(column)
      return name === undefined ? [] : [[name, cell]]
    })
    return Object.fromEntries(members)
  }

  /**
   * Notes the columns of a line.
   *
   * @throws ClienteleError `configuration_invalid` when two of them have one name
   */
  note(columns: readonly string[], line: number): void {
    for (const [column, name] of this.#names) {
      if (!columns.includes(column)) continue
      this.#found.add(column)
      if (columns.includes(name) && name !== column && this.nameOf(name) === name) {
        throw new ClienteleError(
          'configuration_invalid',
          `Nothing was imported: line ${line} has the columns "${column}" and "${name}", and --map reads the first as ` +
            `the second. Leave one out with --ignore COLUMN.`,
        )
      }
    }
  }

  /** @throws ClienteleError `configuration_invalid` when the file has no column of a given name */
  assertFound(columns: Iterable<string>): void {
    for (const column of this.#names.keys()) {
      if (this.#found.has(column)) continue
      throw new ClienteleError(
        'configuration_invalid',
        `Nothing was imported: the file has no column "${column}", which --map names${endWith(suggestColumn(column, [...columns]))}`,
      )
    }
  }
}

/** Ends a sentence: a question has its mark. */
function endWith(suggestion: string): string {
  return suggestion === '' ? '.' : suggestion
}

function isKnown(name: string): boolean {
  return importColumns.some((column) => column === name)
}

/** `: did you mean …?`, or nothing when no column has a similar name. */
export function suggestColumn(name: string, columns: readonly string[]): string {
  const meant =
    columns.find((column) => simplify(column) === simplify(name)) ??
    (name.length > maxComparedLength
      ? undefined
      : columns.find(
          (column) => column.length <= maxComparedLength && leven(column, name) <= maxTypos(name),
        ))
  return meant === undefined ? '' : `: did you mean ${meant}?`
}

function maxTypos(name: string): number {
  return name.length < 3 ? 0 : name.length === 3 ? 1 : 2
}

/** Treats `passwordHash`, `Password Hash` and `password_hash` as the same name. */
function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}
