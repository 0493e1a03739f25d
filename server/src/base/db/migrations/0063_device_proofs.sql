-- A challenge counts once, for a minute, in the place that asked for it.
create table companion_challenges (
  organization_id bigint not null,
  sid text not null,
  nonce_hash bytea not null,
  challenge_hash bytea not null,
  given_at timestamptz(3) not null,
  constraint companion_challenges_pkey primary key (organization_id, sid, nonce_hash)
);
create index companion_challenges_by_age on companion_challenges (given_at);
alter table signin_sessions drop column challenges;

alter table companion_keys
  -- What the next request of the companion has to carry.
  add column nonce text not null default gen_random_uuid()::text,
  -- Ports that other programs held when the companion looked for its own.
  add column taken_ports integer[] not null default '{}',
  -- By what the key was linked last; the node key counts in a trial only.
  add column linked_by text constraint companion_keys_linked_by_check check (linked_by in ('file', 'node_key')),
  add column seen_twice_at timestamptz(3),
  drop column is_epoch_used;
alter table companion_keys alter column nonce drop default;
update companion_keys set linked_by = case when is_bundled then 'node_key' else 'file' end where linked_at is not null;
