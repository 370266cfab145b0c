import { type Compilable, type QueryCreator, sql } from 'kysely'
import { type Database, type ParameterOf, run, type Statement } from './db.ts'
import type { Tables } from './database.ts'

/** The key of the row that the first statement wrote. */
interface ChangedRow {
  account_id: string
  id: string
}

export type TablesWithChanged = Tables & { changed: ChangedRow }

export type FollowUp<Input> = (
  queries: QueryCreator<TablesWithChanged>,
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
export class CombinedWrite<Input extends { accountId: string; id: string }, Row> {
  readonly #database: Database
  readonly #whole: Statement<Input, Row> | undefined
  readonly #first: Statement<Input, Row>
  readonly #rest: Statement<Input, unknown>[]

  constructor(
    database: Database,
    first: (queries: QueryCreator<Tables>, value: ParameterOf<Input>) => Compilable<Row>,
    followUps: FollowUp<Input>[],
    { seesLatest = false }: { seesLatest?: boolean } = {},
  ) {
    this.#database = database
    this.#first = database.statement<Input>()(first)
    const { writesInWith } = database.differences
    // The key of the row that a statement before has written, in the place of that statement.
    const written = (queries: QueryCreator<Tables>, value: ParameterOf<Input>) =>
      queries.with('changed', (q) =>
        q.selectNoFrom([
          database.typed(value('accountId'), 'id').as('account_id'),
          database.typed(value('id'), 'id').as('id'),
        ]),
      ) as never // the same columns under narrower types
    if (writesInWith && !seesLatest) {
      this.#whole = database.statement<Input>()((queries, value) => {
        const changed = queries.with('changed', (q) => first(q, value) as never) as never
        return withFollowUps(changed, followUps, value).selectFrom('changed').selectAll() as never
      })
      this.#rest = []
    } else if (writesInWith && followUps.length > 0) {
      // One statement for all of them: it begins when the first has its row, and so sees what that waited for.
      const all = database.statement<Input>()((queries, value) =>
        withFollowUps(written(queries, value), followUps, value).selectNoFrom(
          sql.lit(1).as('done'),
        ),
      )
      this.#rest = [all]
    } else {
      this.#rest = followUps.map((followUp) =>
        database.statement<Input>()((queries, value) => followUp(written(queries, value), value)),
      )
    }
  }

  /** Answers with what the first statement returned; when that is nothing, nothing followed. */
  async execute(input: Input): Promise<Row | undefined> {
    if (this.#whole !== undefined) return this.#database.queryOne(this.#whole, input)
    const first = this.#first
    const rest = this.#rest
    return this.#database.transact(function* () {
      const [row] = yield* run(first, input)
      if (row !== undefined) for (const statement of rest) yield* run(statement, input)
      return row
    })
  }
}

/** Kysely's types follow one `with` after the other, not a list of them. */
function withFollowUps<Input>(
  queries: QueryCreator<TablesWithChanged>,
  followUps: readonly FollowUp<Input>[],
  value: ParameterOf<Input>,
): QueryCreator<TablesWithChanged> {
  let query = queries
  for (const [index, followUp] of followUps.entries()) {
    query = query.with(`follow_up_${index}`, (q) => followUp(q as never, value) as never) as never
  }
  return query
}
