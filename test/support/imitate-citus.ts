import { runSql } from './run-sql.ts'

/**
 * Gives a database of plain PostgreSQL what a Citus coordinator has for `migrate({ distribute: true })`: the catalog of
 * distributed tables, and the functions that distribute tables and functions. All rows stay where they are.
 */
export async function imitateCitus(url: string): Promise<void> {
  await runSql(
    url,
    `set allow_system_table_mods = on;
     create table pg_catalog.pg_dist_partition (logicalrelid regclass primary key, partmethod "char", partkey text, colocated_with text);
     grant all on pg_catalog.pg_dist_partition to public`,
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
     end $$`,
    `create function create_distributed_function(function_name regprocedure, distribution_arg_name text, colocate_with text, force_delegation boolean) returns void
     language plpgsql as $$ begin perform to_regclass(colocate_with); end $$`,
  )
}
