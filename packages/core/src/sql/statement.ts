import type { CompiledQuery as KyselyQuery } from 'kysely'
import { Parameter } from './parameter.ts'

/** A query that is compiled on its first run and that the driver prepares by its text. */
export class Statement<Input, Row> {
  readonly #compile: () => KyselyQuery
  #compiled: KyselyQuery | undefined
  /** Never set: a phantom property for the row's type. */
  declare readonly row: Row

  constructor(compile: () => KyselyQuery) {
    this.#compile = compile
  }

  get compiled(): KyselyQuery {
    this.#compiled ??= this.#compile()
    return this.#compiled
  }

  get sql(): string {
    return this.compiled.sql
  }

  /** Replaces the parameters by the input's values. */
  bind(input: Input): unknown[] {
    const values = input as Record<string, unknown> // the compiler has checked the names
    const { parameters } = this.compiled
    const bound = new Array<unknown>(parameters.length)
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]
      bound[index] = parameter instanceof Parameter ? values[parameter.name] : parameter
    }
    return bound
  }
}

export interface CompiledQuery {
  sql: string
  parameters: unknown[]
  /** The account that it is about: accounts share the connections; undefined: none, or several */
  accountId?: string | undefined
}

/** Binds a statement to its input. */
export function toStep<Input>(statement: Statement<Input, unknown>, input: Input): CompiledQuery {
  const { accountId } = input as { accountId?: string } // of most inputs
  // An empty one is not known: such statements of all accounts must not share the connections of one.
  const holder = accountId === '' ? undefined : accountId
  return { sql: statement.sql, parameters: statement.bind(input), accountId: holder }
}

/**
 * Statements that take effect together or not at all, written as a generator that yields each statement and receives
 * its rows. SQLite runs it within one tick, so that no other statement can enter the transaction; PostgreSQL awaits
 * each statement.
 */
export type Transaction<T> = Generator<CompiledQuery, T, unknown[]>

/** Runs one statement of a transaction: `const rows = yield* run(findUser, { accountId, id })`. */
export function* run<Input, Row>(
  statement: Statement<Input, Row>,
  input: Input,
): Transaction<Row[]> {
  const rows = yield toStep(statement, input)
  return rows as Row[] // the driver returns the rows of the statement
}
