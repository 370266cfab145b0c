import { createHash } from 'node:crypto'
import { ClienteleError } from '../../base/errors.ts'
import type { Db } from '../db.ts'
import type { Driver } from '../driver.ts'
import { createReadFunction, ReadFunction, signatureOfRead } from '../read-function.ts'
import type { CompiledQuery, Transaction } from '../statement.ts'
import { tables } from '../tables/tables.ts'
import { toPath } from '../to-path.ts'
import {
  createWriteFunction,
  findUsableWriteFunction,
  signatureOfWrite,
  WriteFunction,
} from '../write-function.ts'

const accounts = 'clientele_accounts'
/** Tables that others refer to: Citus distributes a table after those that it refers to. */
const parents = [accounts, 'clientele_users', 'clientele_webhooks']

/** The tables of tenants. Tables without an account are not distributed. */
const tenantTables: readonly string[] = [
  ...parents,
  ...Object.entries(tables).flatMap(([name, { columns }]) =>
    'account_id' in columns && !parents.includes(name) ? [name] : [],
  ),
]

/** @throws ClienteleError `configuration_invalid` when this database cannot be distributed */
export async function assertDistributable(db: Db, driver: Driver): Promise<void> {
  if (!db.features.supportsDistribution)
    throw refuse('SQLite keeps all tables in one file: they can be distributed on PostgreSQL only')
  if ((await driver.query(findCitus())).length === 0)
    throw refuse(
      'The extension citus is not in this database: load it (shared_preload_libraries), and run "create extension citus" first',
    )
}

/** Finds out whether the tables are distributed by account. */
export async function learnDistribution(db: Db, driver: Driver): Promise<void> {
  if (!db.features.supportsDistribution) return
  const hasCitus = (await driver.query(findCitus())).length > 0
  db.isDistributed =
    hasCitus && (await driver.query(listDistributed(driver.schema, [accounts]))).length > 0
  db.directReads = db.isDistributed ? driver.directReads : undefined
  const found =
    db.isDistributed && (await driver.query(findUsableWriteFunction(driver.schema))).length > 0
  db.writeFunction = found ? new WriteFunction(driver.schema) : undefined
  const mayRead =
    db.isDistributed && (await driver.query(findUsable(signatureOfRead(driver.schema)))).length > 0
  db.readFunction = mayRead ? new ReadFunction(driver.schema, toName) : undefined
}

/** The same in the transaction of a migration. If they are, the changes that follow take one shard after the other. */
export function* beginDistributed(db: Db, driver: Driver): Transaction<boolean> {
  if (!db.features.supportsDistribution || (yield findCitus()).length === 0) return false
  if ((yield listDistributed(driver.schema, [accounts])).length === 0) return false
  yield changeShardsInTurn
  return true
}

/**
 * Distributes the tables of tenants that are not distributed yet, and the functions that read and write where an account is.
 * Returns their names.
 */
export function* distributeMissing({ schema }: Driver): Transaction<string[]> {
  yield changeShardsInTurn
  const rows = (yield listDistributed(schema, tenantTables)) as { path: string }[] // the selected columns
  const known = new Set(rows.map(({ path }) => path))
  const missing = tenantTables.filter((table) => !known.has(toPath(schema, table)))
  for (const table of missing) yield distribute(schema, table)
  const functions = [
    { name: 'clientele_write', signature: signatureOfWrite(schema), create: createWriteFunction },
    { name: 'clientele_read', signature: signatureOfRead(schema), create: createReadFunction },
  ]
  for (const { name, signature, create } of functions) {
    if ((yield find(signature)).length > 0) continue
    yield create(schema)
    yield distributeFunction(signature, toPath(schema, accounts))
    missing.push(name)
  }
  return missing
}

/** Citus cannot change the shards of several tables with foreign keys at the same time. */
const changeShardsInTurn: CompiledQuery = {
  sql: "set local citus.multi_shard_modify_mode = 'sequential'",
  parameters: [],
}

function findCitus(): CompiledQuery {
  const sql = 'select 1 as found from pg_catalog.pg_class where oid = to_regclass($1)'
  return { sql, parameters: ['pg_catalog.pg_dist_partition'] }
}

function listDistributed(schema: string | undefined, names: readonly string[]): CompiledQuery {
  const paths = names.map((name) => toPath(schema, name))
  return {
    sql: `select t.path from json_array_elements_text(cast($1 as json)) as t(path)
      where to_regclass(t.path) in (select logicalrelid from pg_catalog.pg_dist_partition where partmethod = 'h')`,
    parameters: [JSON.stringify(paths)],
  }
}

function distribute(schema: string | undefined, table: string): CompiledQuery {
  const isFirst = table === accounts
  return {
    sql: 'select create_distributed_table(cast($1 as regclass), $2, colocate_with => $3) as done',
    parameters: [
      toPath(schema, table),
      isFirst ? 'id' : 'account_id',
      isFirst ? 'none' : toPath(schema, accounts),
    ],
  }
}

function distributeFunction(signature: string, colocatedWith: string): CompiledQuery {
  return {
    sql: 'select create_distributed_function(cast($1 as regprocedure), $2, colocate_with => $3, force_delegation => true) as done',
    parameters: [signature, 'account_id', colocatedWith],
  }
}

/** Returns a row if the function exists. */
function find(signature: string): CompiledQuery {
  return {
    sql: 'select 1 as found where to_regprocedure($1) is not null',
    parameters: [signature],
  }
}

/** Returns a row if the function exists, and this role may use it. */
function findUsable(signature: string): CompiledQuery {
  return {
    sql: `select 1 as found from (select to_regprocedure($1) as name) as f
      where has_function_privilege(f.name, 'execute')`,
    parameters: [signature],
  }
}

/** The name of a prepared statement, but for the number of its tables that follows */
function toName(text: string): string {
  return `clientele_${createHash('sha256').update(text).digest('hex').slice(0, 24)}_`
}

function refuse(reason: string): ClienteleError {
  return new ClienteleError('configuration_invalid', `${reason}.`)
}
