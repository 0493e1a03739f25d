-- The API key that created the stream: access tokens of this key may poll it. Null for streams that no key created.
alter table ssf_streams add column created_by_key_id bigint;
update ssf_streams set created_by_key_id = entry.actor_id from audit_logs as entry
where entry.organization_id = ssf_streams.organization_id and entry.actor_type = 'ApiKey'
  and entry.about @> array['stream:' || ssf_streams.id] and entry.description like 'Created the stream "%';

-- Finds a poll token that arrives alone, before its organization is known.
create table ssf_poll_token_lookups (
  lookup_hash bytea constraint ssf_poll_token_lookups_pkey primary key,
  organization_id bigint not null,
  stream_id bigint not null,
  constraint ssf_poll_token_lookups_token_fkey foreign key (organization_id, stream_id, lookup_hash)
    references ssf_poll_tokens (organization_id, stream_id, lookup_hash) on delete cascade
);
create index ssf_poll_token_lookups_by_token on ssf_poll_token_lookups (organization_id, stream_id, lookup_hash);
insert into ssf_poll_token_lookups (lookup_hash, organization_id, stream_id)
select lookup_hash, organization_id, stream_id from ssf_poll_tokens;

-- Requests that were made with poll tokens alone, by stream. A crash of the database empties it, which lets a burst through.
create unlogged table ssf_poll_windows (
  organization_id bigint not null,
  stream_id bigint not null,
  started_at timestamptz(3) not null,
  used integer not null,
  constraint ssf_poll_windows_pkey primary key (organization_id, stream_id)
) with (fillfactor = 50);
