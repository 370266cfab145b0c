#!/bin/sh
# A Citus cluster for the tests, on loopback: a coordinator and two workers, on the installed PostgreSQL.
#   CITUS_URL=$(test/citus/cluster.sh start FOLDER) npm test -- citus
#   test/citus/cluster.sh stop FOLDER
#   test/citus/cluster.sh start FOLDER PORT   one server; it is not added to the cluster
#   test/citus/cluster.sh plain FOLDER PORT   a PostgreSQL without Citus, to compare with
#   test/citus/cluster.sh kill FOLDER PORT    one server, at once
# PG_CONFIG names the pg_config of a PostgreSQL that has the extension; PORT is the first of three ports (6101).
# As root the servers run as the user postgres. They trust every connection and sync nothing: for tests only.
set -eu
command=${1:-} folder=${2:-} one=${3:-}
[ -n "$folder" ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
pg_config=${PG_CONFIG:-pg_config}
bin=$("$pg_config" --bindir)
port=${PORT:-6101}
nodes="$port $((port + 1)) $((port + 2))"

as_owner() {
  if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$*"; else sh -c "$*"; fi
}
ask() {
  "$bin/psql" -qAtX -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U postgres -d clientele -c "$2" >&2
}

[ "$command" = start ] || [ "$command" = stop ] || [ -n "$one" ] || { echo "Name the server's port." >&2; exit 2; }

case $command in
start | plain)
  [ -e "$("$pg_config" --sharedir)/extension/citus.control" ] || {
    echo "This PostgreSQL ($bin) lacks the extension citus: install it first." >&2
    exit 1
  }
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  [ "$(id -u)" != 0 ] || chown postgres "$folder"
  for node in ${one:-$nodes}; do
    [ -e "$folder/$node" ] || {
      as_owner "'$bin/initdb' -D '$folder/$node' -E UTF8 --locale=C.UTF-8 -A trust -U postgres --no-sync" >&2
      printf '%s\n' "port=$node" "listen_addresses='127.0.0.1'" "unix_socket_directories=''" \
        max_connections=300 max_worker_processes=100 wal_level=logical fsync=off full_page_writes=off jit=off \
        >>"$folder/$node/postgresql.conf"
      [ "$command" = plain ] || printf '%s\n' \
        "shared_preload_libraries='citus'" "citus.node_conninfo='sslmode=disable'" \
        citus.enable_statistics_collection=off citus.shard_count=8 >>"$folder/$node/postgresql.conf"
    }
    as_owner "'$bin/pg_ctl' -D '$folder/$node' -l '$folder/$node.log' -w start" >&2
    "$bin/createdb" -h 127.0.0.1 -p "$node" -U postgres clientele 2>/dev/null || true
    [ "$command" = plain ] || ask "$node" 'create extension if not exists citus'
  done
  [ -z "$one" ] || { [ "$command" = start ] || echo "postgres://postgres@127.0.0.1:$one/clientele"; exit 0; }
  ask "$port" "select citus_set_coordinator_host('127.0.0.1', $port)"
  for node in $nodes; do
    [ "$node" = "$port" ] || ask "$port" "select citus_add_node('127.0.0.1', $node)"
  done
  echo "postgres://postgres@127.0.0.1:$port/clientele"
  ;;
stop)
  for running in "$folder"/*/postmaster.pid; do
    as_owner "'$bin/pg_ctl' -D '${running%/*}' -m fast -w stop" >&2
  done
  ;;
kill)
  as_owner "'$bin/pg_ctl' -D '$folder/$one' -m immediate -w stop" >&2
  ;;
*)
  echo "There is no command $command." >&2
  exit 2
  ;;
esac
