import { type Compilable, type QueryCreator, sql } from 'kysely'
import type { Database } from './database.ts'
import { type Db, type ParameterOf, run, type Statement } from './db.ts'

/** The key of the row that the first statement wrote. */
interface ChangedRow {
  account_id: string
  id: string
}

export type DatabaseWithChanged = Database & { changed: ChangedRow }

export type Effect<Input> = (
  queries: QueryCreator<DatabaseWithChanged>,
  value: ParameterOf<Input>,
) => Compilable<unknown>

/**
 * A write and what follows from it in other tables, atomically: one statement and one round trip where the database
 * can, a transaction where it can't. The follow-ups read the written row's key from the table `changed`.
 *
 * `seesLatest`: the follow-ups must see what was committed while the first statement waited for the row. The parts of
 * one statement all see the moment at which it began; the statements of a transaction see a moment each. It is a
 * transaction of two then.
 */
export class WriteWithEffects<Input extends { accountId: string; id: string }, Row> {
  readonly #db: Db
  readonly #whole: Statement<Input, Row> | undefined
  readonly #first: Statement<Input, Row>
  readonly #rest: Statement<Input, unknown>[]

  constructor(
    db: Db,
    first: (queries: QueryCreator<Database>, value: ParameterOf<Input>) => Compilable<Row>,
    effects: Effect<Input>[],
    { seesLatest = false }: { seesLatest?: boolean } = {},
  ) {
    this.#db = db
    this.#first = db.statement<Input>()(first)
    const { supportsWritableCte } = db.features
    // The key of the row that a statement before has written, in the place of that statement.
    const written = (queries: QueryCreator<Database>, value: ParameterOf<Input>) =>
      queries.with('changed', (q) =>
        q.selectNoFrom([
          db.typed(value('accountId'), 'id').as('account_id'),
          db.typed(value('id'), 'id').as('id'),
        ]),
      ) as never // the same columns under narrower types
    if (supportsWritableCte && !seesLatest) {
      this.#whole = db.statement<Input>()((queries, value) => {
        const changed = queries.with('changed', (q) => first(q, value) as never) as never
        return withEffects(changed, effects, value).selectFrom('changed').selectAll() as never
      })
      this.#rest = []
    } else if (supportsWritableCte && effects.length > 0) {
      // One statement for all of them: it begins when the first has its row, and so sees what that waited for.
      const all = db.statement<Input>()((queries, value) =>
        withEffects(written(queries, value), effects, value).selectNoFrom(sql.lit(1).as('done')),
      )
      this.#rest = [all]
    } else {
      this.#rest = effects.map((effect) =>
        db.statement<Input>()((queries, value) => effect(written(queries, value), value)),
      )
    }
  }

  /** Answers with what the first statement returned; when that is nothing, nothing followed. */
  async execute(input: Input): Promise<Row | undefined> {
    if (this.#whole !== undefined) return this.#db.queryOne(this.#whole, input)
    const first = this.#first
    const rest = this.#rest
    return this.#db.transact(function* () {
      const [row] = yield* run(first, input)
      if (row !== undefined) for (const statement of rest) yield* run(statement, input)
      return row
    })
  }
}

/** Kysely's types follow one `with` after the other, not a list of them. */
function withEffects<Input>(
  queries: QueryCreator<DatabaseWithChanged>,
  effects: readonly Effect<Input>[],
  value: ParameterOf<Input>,
): QueryCreator<DatabaseWithChanged> {
  let query = queries
  for (const [index, effect] of effects.entries()) {
    query = query.with(`follow_up_${index}`, (q) => effect(q as never, value) as never) as never
  }
  return query
}
