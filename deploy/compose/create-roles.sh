#!/bin/sh
# Runs once, when the database is new. Muster owns its database and is no superuser; the superuser has no password from then
# on, and is reached from inside this container only.
set -eu
psql --username=postgres --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" <<'SQL'
create role muster login password :'password';
create role muster_reports nologin;
grant muster_reports to muster;
create database muster owner muster encoding 'UTF8' template template0;
alter role postgres password null;
SQL
