-- When each permission of a key was last needed by a request, and since when that is written down.
alter table api_keys add column permission_uses jsonb not null default '{}';
alter table api_keys add column uses_recorded_since timestamptz(3) not null default now();
