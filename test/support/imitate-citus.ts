import { runSql } from './run-sql.ts'

/**
 * Gives a database of plain PostgreSQL what a Citus coordinator has for `migrate({ distribute: true })`: the catalog of
 * distributed tables and their shards, and the functions that distribute tables and functions. All rows stay where they
 * are: each table is its only shard.
 */
export async function imitateCitus(url: string): Promise<void> {
  await runSql(
    url,
    `set allow_system_table_mods = on;
     create table pg_catalog.pg_dist_partition (logicalrelid regclass primary key, partmethod "char", partkey text, colocated_with text, colocationid integer default 1);
     create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint primary key, shardminvalue text default '0');
     create table pg_catalog.pg_dist_placement (shardid bigint, groupid integer default 1);
     create table pg_catalog.pg_dist_local_group (groupid integer);
     insert into pg_catalog.pg_dist_local_group values (1);
     create table pg_catalog.pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text default 'primary',
       isactive boolean default true, hasmetadata boolean default true, metadatasynced boolean default true);
     insert into pg_catalog.pg_dist_node values (1, 'localhost', current_setting('port')::integer);
     grant all on pg_catalog.pg_dist_node to public;
     grant all on pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_placement, pg_catalog.pg_dist_local_group to public`,
    `create function get_shard_id_for_distribution_column(table_name regclass, value anyelement) returns bigint
     language sql stable as $$ select cast(cast(table_name as oid) as bigint) $$`,
    `create function shard_name(table_name regclass, shard_id bigint) returns text
     language sql stable as $$ select cast(table_name as text) $$`,
    `create function create_distributed_table(table_name regclass, distribution_column text, colocate_with text) returns void
     language plpgsql as $$
     begin
       if current_setting('citus.multi_shard_modify_mode') <> 'sequential' then raise 'not sequential'; end if;
       perform to_regclass(colocate_with);
       if exists (
         select 1 from pg_constraint where contype = 'f' and conrelid = table_name
           and confrelid not in (select logicalrelid from pg_catalog.pg_dist_partition)
       ) then raise 'the table refers to one that is not distributed'; end if;
       insert into pg_catalog.pg_dist_partition values (table_name, 'h', distribution_column, colocate_with);
       delete from pg_catalog.pg_dist_shard where logicalrelid = table_name;
       insert into pg_catalog.pg_dist_shard values (table_name, cast(table_name as oid));
       insert into pg_catalog.pg_dist_placement values (cast(table_name as oid));
     end $$`,
    `create function create_distributed_function(function_name regprocedure, distribution_arg_name text, colocate_with text, force_delegation boolean) returns void
     language plpgsql as $$ begin perform to_regclass(colocate_with); end $$`,
  )
}
