#!/bin/sh
# Takes a base backup of the PostgreSQL server that Muster's database is on, while it serves.
#
#   BACKUP_URL=postgres://muster_backup@db.example.com/ backup.sh /backup/2026-11-21
#
# The role needs REPLICATION. The folder has its name once the backup is whole. Of the master key there is nothing in
# it: keep MUSTER_MASTER_KEY, and keep it apart.
set -eu
umask 077

say() { printf '%s\n' "$*" >&2; }

if [ $# -ne 1 ] || [ -z "${BACKUP_URL:-}" ]; then
  say "Usage: BACKUP_URL=<URL of a role with REPLICATION> $0 <new folder>"
  exit 2
fi
folder=${1%/}
if [ -e "$folder" ]; then
  say "$folder exists already: give a new name"
  exit 1
fi

draft=$folder.partial.$$
trap 'rm -rf "$draft"' EXIT
trap 'exit 130' INT TERM
pg_basebackup --dbname="$BACKUP_URL" --pgdata="$draft" --format=tar --gzip --wal-method=stream --checkpoint=fast
mv "$draft" "$folder"
printf 'Wrote %s, %s KB\n' "$folder" "$(du -sk "$folder" | cut -f1)"
