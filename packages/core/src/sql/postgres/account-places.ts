import { LateCache } from '../../base/runtime/late-cache.ts'
import { BatchLoader } from '../batch-loader.ts'
import { toPath } from '../to-path.ts'
import type { PostgresDriver } from './driver.ts'

const accounts = 'clientele_accounts'
const maxAccounts = 10_000
/** After how long the list of places is read again, in milliseconds: as a rule, and once a server has lost an account */
const ages = { usual: 60_000, stale: 1_000 }

/** A shard of accounts, on the server that has it */
export interface Place {
  shard: number
  /** 0: the coordinator itself */
  group: number
  host: string
  port: number
  /** The paths of the shard's tables, by the name of the whole table */
  tables: Record<string, string>
}

/** Which server of a Citus cluster has an account. A hint: the server itself says whether that is still so. */
export class AccountPlaces {
  readonly #coordinator: PostgresDriver
  readonly #shards = new LateCache<{ shard: number }>(maxAccounts)
  readonly #shardLoader: BatchLoader<string, number>
  #places: Map<number, Place> | undefined
  #loading: Promise<Map<number, Place>> | undefined
  /** On the clock of `performance` */
  #loadedAt = 0
  #isStale = false

  constructor(coordinator: PostgresDriver) {
    this.#coordinator = coordinator
    this.#shardLoader = new BatchLoader((_, ids) => this.#readShards(ids))
  }

  /** Undefined while it is not known. */
  async find(accountId: string): Promise<Place | undefined> {
    const places = await this.#findPlaces()
    let known = this.#shards.get(accountId)
    if (known === undefined) {
      known = { shard: await this.#shardLoader.load('', accountId) }
      this.#shards.set(accountId, known)
    }
    const place = places.get(known.shard)
    // The shard was split, perhaps.
    if (place === undefined) this.#shards.delete(accountId)
    return place
  }

  /** Forgets a place, since its server has not the shard, or does not answer. */
  leave({ shard }: Place): void {
    this.#places?.delete(shard)
    this.#isStale = true
  }

  async #findPlaces(): Promise<Map<number, Place>> {
    if (this.#places === undefined) return this.#load()
    const age = performance.now() - this.#loadedAt
    // Not awaited: what is known serves until then, or the coordinator.
    if (age > (this.#isStale ? ages.stale : ages.usual)) void this.#load().catch(() => {})
    return this.#places
  }

  #load(): Promise<Map<number, Place>> {
    this.#loading ??= this.#readPlaces().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #readPlaces(): Promise<Map<number, Place>> {
    this.#loadedAt = performance.now()
    this.#isStale = false
    const parameters = [toPath(this.#coordinator.schema, accounts)]
    const rows = await this.#coordinator.query({ sql: selectPlaces, parameters })
    const places = rows as (Omit<Place, 'tables'> & { tables: string })[] // what it selects
    this.#places = new Map(
      places.map(({ tables, ...place }) => [
        place.shard,
        { ...place, tables: JSON.parse(tables) as Place['tables'] }, // as the statement makes it
      ]),
    )
    return this.#places
  }

  async #readShards(ids: readonly string[]): Promise<number[]> {
    const parameters = [JSON.stringify(ids), toPath(this.#coordinator.schema, accounts)]
    const rows = await this.#coordinator.query({ sql: selectShards, parameters })
    return (rows as { shard: number }[]).map(({ shard }) => shard) // what it selects
  }
}

const selectShards = `select get_shard_id_for_distribution_column(to_regclass($2), cast(t.id as uuid)) as "shard"
  from json_array_elements_text(cast($1 as json)) with ordinality as t(id, place) order by t.place`

/** Citus leaves out the schema `public`. */
const path = `case when n.nspname = 'public' and left(shard_name(o.logicalrelid, o.shardid), 7) <> 'public.'
  then 'public.' else '' end || shard_name(o.logicalrelid, o.shardid)`

/** The shards of accounts, with those of the other tables that have the same accounts */
const selectPlaces = `select s.shardid as "shard", d.groupid as "group", d.nodename as "host", d.nodeport as "port", t.tables
  from pg_catalog.pg_dist_shard s
    join pg_catalog.pg_dist_placement p on p.shardid = s.shardid
    join pg_catalog.pg_dist_node d on d.groupid = p.groupid and d.isactive and d.hasmetadata and d.metadatasynced
      and d.noderole = 'primary'
    cross join lateral (
      select cast(json_object_agg(c.relname, ${path}) as text) as tables
      from pg_catalog.pg_dist_partition a
        join pg_catalog.pg_dist_partition q on q.colocationid = a.colocationid
        join pg_catalog.pg_dist_shard o on o.logicalrelid = q.logicalrelid and o.shardminvalue = s.shardminvalue
        join pg_catalog.pg_class c on c.oid = o.logicalrelid
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        join pg_catalog.pg_class b on b.oid = s.logicalrelid and b.relnamespace = c.relnamespace
      where a.logicalrelid = s.logicalrelid
    ) t
  where s.logicalrelid = to_regclass($1)`
