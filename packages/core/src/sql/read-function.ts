import { Parameter } from './parameter.ts'
import { toJsonStatement, toRows } from './rows-as-json.ts'
import type { CompiledQuery, Statement } from './statement.ts'
import { toPath } from './to-path.ts'
import { toMember } from './write-function.ts'

const readFunction = 'clientele_read'

/**
 * The function that reads rows of one account where they are: Citus hands the call on, and PostgreSQL runs a prepared
 * statement on the tables there, whose plan it keeps. A statement about several distributed tables is planned at each
 * run, on two servers.
 *
 * `call` is a format with the name of the prepared statement and its values as literals. If this connection has not
 * prepared it, it needs `statement`, whose tables are in braces. Returns the rows, each a list of its values, as JSON; or
 * null without `statement`, and on a server that no longer has the account.
 */
export function createReadFunction(schema: string | undefined): CompiledQuery {
  const accounts = toPath(schema, 'clientele_accounts').replaceAll("'", "''")
  const sql = `create or replace function ${toPath(schema, readFunction)}(account_id uuid, name text, call text, given text, statement text)
    returns text language plpgsql set search_path from current as $body$
    declare
      shard bigint := get_shard_id_for_distribution_column('${accounts}', account_id);
      query text;
      text_of_rows text;
      part record;
    begin
      perform from pg_catalog.pg_dist_placement p
        where p.shardid = shard and p.groupid = (select l.groupid from pg_catalog.pg_dist_local_group l);
      if not found then return null; end if;
      query := format(call, variadic array_prepend(name || shard, cast(given as text[])));
      begin
        execute query into text_of_rows;
        return text_of_rows;
      exception when invalid_sql_statement_name then
        if statement is null then return null; end if;
      end;
      for part in
        select c.relname, shard_name(o.logicalrelid, o.shardid) as path
        from pg_catalog.pg_dist_shard s
          join pg_catalog.pg_dist_partition a on a.logicalrelid = s.logicalrelid
          join pg_catalog.pg_dist_partition p on p.colocationid = a.colocationid
          join pg_catalog.pg_dist_shard o on o.logicalrelid = p.logicalrelid and o.shardminvalue = s.shardminvalue
          join pg_catalog.pg_class c on c.oid = o.logicalrelid
          join pg_catalog.pg_class b on b.oid = s.logicalrelid and b.relnamespace = c.relnamespace
        where s.shardid = shard
      loop
        statement := replace(statement, '{' || part.relname || '}', part.path);
      end loop;
      execute format('prepare %I as %s', name || shard, statement);
      execute query into text_of_rows;
      return text_of_rows;
    end $body$`
  return { sql, parameters: [] }
}

export function signatureOfRead(schema: string | undefined): string {
  return `${toPath(schema, readFunction)}(uuid, text, text, text, text)`
}

/** What is made once of a statement */
interface Prepared {
  name: string
  call: string
  statement: string
  /** The parameters that are given, each once, by their first index */
  given: number[]
  columns: string[]
}

/** Calls the function. */
export class ReadFunction {
  readonly #sql: string
  readonly #prepared = new WeakMap<object, Prepared>()
  readonly #hash: (text: string) => string

  /** @param hash makes the name of a prepared statement */
  constructor(schema: string | undefined, hash: (text: string) => string) {
    this.#sql = `select ${toPath(schema, readFunction)}($1, $2, $3, $4, $5) as "rows"`
    this.#hash = hash
  }

  /**
   * Reads rows of one account. Undefined if the function cannot do that, for example because the account is just moving to
   * another server: then the statement itself is run.
   */
  async read<Input extends { accountId: string }, Row>(
    query: (step: CompiledQuery) => Promise<unknown[]>,
    statement: Statement<Input, Row>,
    input: Input,
  ): Promise<Row[] | undefined> {
    const prepared = this.#prepare(statement)
    const values = statement.bind(input)
    const given = `{${prepared.given.map((index) => toMember(values[index])).join(',')}}`
    // Its text is sent only where the server asks for it: that is once for each connection of the coordinator.
    for (const text of [null, prepared.statement]) {
      const parameters = [input.accountId, prepared.name, prepared.call, given, text]
      const [answer] = (await query({ sql: this.#sql, parameters })) as [{ rows: string | null }] // what it selects
      if (answer.rows !== null) return toRows(answer.rows, prepared.columns)
    }
    return undefined
  }

  #prepare(statement: Statement<never, unknown>): Prepared {
    let prepared = this.#prepared.get(statement)
    if (prepared === undefined) {
      const { text, columns } = toJsonStatement(statement)
      const { given, places } = placesOf(statement.compiled.parameters)
      const literals = places.map((place) => `%${place + 2}$L`).join(',')
      const call = `execute %1$I${literals === '' ? '' : `(${literals})`}`
      prepared = { name: this.#hash(text), call, statement: text, given, columns }
      this.#prepared.set(statement, prepared)
    }
    return prepared
  }
}

/** Where each parameter stands in the list of those that are given once. */
function placesOf(parameters: readonly unknown[]): { given: number[]; places: number[] } {
  const given: number[] = []
  const placeOf = new Map<string, number>()
  const places = parameters.map((parameter, index) => {
    const name = parameter instanceof Parameter ? parameter.name : undefined
    const known = name === undefined ? undefined : placeOf.get(name)
    if (known !== undefined) return known
    const place = given.push(index) - 1
    if (name !== undefined) placeOf.set(name, place)
    return place
  })
  return { given, places }
}
