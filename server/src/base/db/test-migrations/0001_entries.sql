create table entries (
  id bigint generated always as identity primary key,
  name text not null constraint entries_name_key unique,
  amount integer not null default 0
);
create extension if not exists pg_trgm;
