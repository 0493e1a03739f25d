#!/bin/sh
# Makes the data directory of a PostgreSQL server from what backup.sh wrote, and has the server read the archive of
# its write-ahead log when it starts. Run it as the server's user, with the programs of the same major version in PATH.
#
#   restore.sh --backup /backup/2026-11-21 --data /var/lib/postgresql/18/main \
#     --wal /backup/wal --until '2026-11-21 10:15:00+00'
#
# --wal <folder>              where archive_command copies to
# --restore-command <command> another way to fetch a file of it, in place of --wal
# --until <time>              stop there; without it, all that was archived is read
# Without an archive the database is as it was at the end of the base backup.
set -eu
umask 077

say() { printf '%s\n' "$*" >&2; }
refuse() {
  say "$*. Nothing was restored"
  exit 1
}

backup='' data='' command='' until=''
while [ $# -gt 1 ]; do
  case $1 in
    --backup) backup=${2%/} ;;
    --data) data=${2%/} ;;
    --wal) command="cp \"${2%/}/%f\" \"%p\"" ;;
    --restore-command) command=$2 ;;
    --until) until=$2 ;;
    *) break ;;
  esac
  shift 2
done
if [ $# -ne 0 ] || [ -z "$backup" ] || [ -z "$data" ]; then
  sed -n '5,13s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
[ -z "$until" ] || [ -n "$command" ] || refuse '--until needs --wal or --restore-command'
for file in base.tar.gz pg_wal.tar.gz backup_manifest; do
  [ -f "$backup/$file" ] || refuse "$backup is no backup: it has no $file"
done
for file in "$backup"/[0-9]*.tar.gz; do
  [ ! -e "$file" ] || refuse "$file is of a tablespace, which this script does not restore"
done
if [ -e "$data" ] && [ -n "$(ls -A "$data")" ]; then
  refuse "$data is not empty: move it away first"
fi

draft=$data.restoring
rm -rf "$draft"
mkdir "$draft"
trap 'rm -rf "$draft"' EXIT
trap 'exit 130' INT TERM

unpack() { gzip -dc "$backup/$1" | tar -xf - -C "$2" || refuse "$backup/$1 is not as it was written"; }
unpack base.tar.gz "$draft"
unpack pg_wal.tar.gz "$draft/pg_wal"
cp "$backup/backup_manifest" "$draft/backup_manifest"
# It compares each file with its checksum, so it also tells when a pipe above broke.
pg_verifybackup --quiet "$draft" || refuse "$backup is not as it was written"
rm "$draft/backup_manifest"

# A setting as PostgreSQL reads it: quotes are doubled.
setting() { printf "%s = '%s'\n" "$1" "$(printf '%s' "$2" | sed "s/'/''/g")"; }

# What an earlier restore has left there would stop this one.
settings=$draft/postgresql.auto.conf
touch "$settings"
sed -e '/^restore_command/d' -e '/^recovery_target/d' "$settings" > "$settings.new"
if [ -n "$command" ]; then
  {
    setting restore_command "$command"
    [ -z "$until" ] || setting recovery_target_time "$until"
    setting recovery_target_action promote
  } >> "$settings.new"
  : > "$draft/recovery.signal"
fi
mv "$settings.new" "$settings"
sync

[ ! -e "$data" ] || rmdir "$data"
mv "$draft" "$data"
cat << END
Restored $data. What is left to do:
1. Start PostgreSQL, and wait until \`select pg_is_in_recovery()\` says false.
2. Before any process of Muster starts: muster restore --database-is-restored
END
