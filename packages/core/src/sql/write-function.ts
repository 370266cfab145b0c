import type { CompiledQuery } from './statement.ts'
import { toPath } from './to-path.ts'

const writeFunction = 'clientele_write'

/**
 * The function that runs statements about one account where the account's rows are: one command to that server, which is
 * a transaction. The statements are formats, whose values it quotes as literals. If the first one changes no row, the
 * others are not run. Returns how many rows the first one changed.
 *
 * Citus runs the first one, which keeps the account from moving to another server until the transaction ends. The others
 * are run on the tables of this server, without Citus, if it has the account: `tables` names them.
 *
 * It builds each statement anew: Citus keeps a plan of each run of a function's own statements, and never frees it.
 */
export function createWriteFunction(schema: string | undefined): CompiledQuery {
  const accounts = toPath(schema, 'clientele_accounts').replaceAll("'", "''")
  const sql = `create or replace function ${toPath(schema, writeFunction)}(account_id uuid, statements text, tables text, given text)
    returns bigint language plpgsql set search_path from current set citus.enable_manual_changes_to_shards to on as $body$
    declare
      formats text[] := statements;
      paths text[] := tables;
      literals text[] := given;
      changed bigint;
      is_here boolean;
      path text;
    begin
      execute format(formats[1], variadic literals);
      get diagnostics changed = row_count;
      if changed = 0 then return changed; end if;
      select exists (
        select from pg_catalog.pg_dist_placement p
        where p.shardid = get_shard_id_for_distribution_column('${accounts}', account_id)
          and p.groupid = (select l.groupid from pg_catalog.pg_dist_local_group l)
      ) into is_here;
      for number in 2 .. cardinality(formats) loop
        path := paths[number];
        if is_here then
          path := shard_name(cast(path as regclass), get_shard_id_for_distribution_column(cast(path as regclass), account_id));
        end if;
        literals[1] := path;
        execute format(formats[number], variadic literals);
      end loop;
      return changed;
    end $body$`
  return { sql, parameters: [] }
}

/** Returns a row if the function exists, and this role may use it and draw the order of events. */
export function findUsableWriteFunction(schema: string | undefined): CompiledQuery {
  return {
    sql: `select 1 as found from (select to_regprocedure($1) as name) as f
      where has_function_privilege(f.name, 'execute') and has_sequence_privilege(${orderOf(schema)}, 'usage')`,
    parameters: [signatureOfWrite(schema)],
  }
}

/** How many formats of a statement are kept: behind lists of names the number of values before it differs. */
const maxKept = 64

/** Calls the function. */
export class WriteFunction {
  /**
   * Draws the next place in the order in which events are written. A server of the cluster that drew it for itself would
   * take it from a range of its own, so that events of an account would change places.
   */
  readonly nextOrder: CompiledQuery
  readonly #sql: string
  /** The formats that were made before, by their statement and the number of values before its own */
  readonly #formats = new Map<string, Format[]>()

  constructor(schema: string | undefined) {
    // In brackets, as drivers take what begins with `select` for a read.
    this.nextOrder = {
      sql: `(select nextval(${orderOf(schema)}) as "order")`,
      parameters: [],
    }
    this.#sql = `(select ${toPath(schema, writeFunction)}($1, $2, $3, $4) as changed)`
  }

  /** Runs statements about one account together, or only the first one if that changes no row. The others are inserts. */
  call(accountId: string, steps: readonly CompiledQuery[]): CompiledQuery {
    const formats: string[] = []
    const paths: string[] = []
    // The function puts the path of a table in the first place.
    const literals = ['NULL']
    for (const [index, { sql, parameters }] of steps.entries()) {
      const format = this.#formatOf(sql, literals.length, index > 0)
      formats.push(format.text)
      paths.push(format.path)
      for (const value of parameters) literals.push(toMember(value))
    }
    const parameters = [
      accountId,
      ...[formats, paths, literals].map((list) => `{${list.join(',')}}`),
    ]
    return { sql: this.#sql, parameters, accountId }
  }

  #formatOf(sql: string, first: number, isThere: boolean): Format {
    let kept = this.#formats.get(sql)
    if (kept === undefined) {
      kept = []
      this.#formats.set(sql, kept)
    }
    const format = kept[first] ?? makeFormat(sql, first, isThere)
    if (first < maxKept) kept[first] = format
    return format
  }
}

/** Members of arrays of texts */
interface Format {
  text: string
  /** The table, if the statement leaves a place for it */
  path: string
}

const target = /^insert into ((?:"(?:[^"]|"")*"\.)?"clientele_\w+")/

function makeFormat(sql: string, first: number, isThere: boolean): Format {
  const [, path] = target.exec(sql) ?? []
  if (!isThere) return { text: toMember(toFormat(sql, first)), path: 'NULL' }
  if (path === undefined) throw new Error('Only an insert is run there.')
  const rest = sql.slice(`insert into ${path}`.length)
  return { text: toMember(`insert into %1$s${toFormat(rest, first)}`), path: toMember(path) }
}

/** The statement with a place for each value as a quoted literal: `%1$L`. */
function toFormat(sql: string, first: number): string {
  return sql.replace(
    /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)|%/g,
    (token, number: string | undefined) =>
      number === undefined ? token.replaceAll('%', '%%') : `%${first + Number(number)}$L`,
  )
}

/** A member of an array of texts, as PostgreSQL writes it. */
export function toMember(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  return `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`
}

/** The name of the sequence of events, in SQL */
function orderOf(schema: string | undefined): string {
  const events = toPath(schema, 'clientele_events').replaceAll("'", "''")
  return `pg_get_serial_sequence('${events}', 'seq')`
}

export function signatureOfWrite(schema: string | undefined): string {
  return `${toPath(schema, writeFunction)}(uuid, text, text, text)`
}
