-- Organizations shared a key once, and their streams were moved off it one by one. None signs with it any more.
with shared as (
  select kid from signing_keys where purpose = 'shared_signals'
), moved as (
  update ssf_streams set
    issuer = coalesce(organizations.base_url, '/ssf/' || organizations.id),
    audience = case when audience like '%/ssf_streams/' || stream_id
      then coalesce(organizations.base_url || '/ssf_streams/' || stream_id, audience) else audience end,
    moved_at = now()
  from organizations
  where organizations.id = ssf_streams.organization_id and signing_purpose = 'shared_signals'
    and organizations.id <> (select min(id) from organizations)
  returning ssf_streams.organization_id, ssf_streams.id
)
-- Signed anew by the present key of the organization, which says what its stream says now.
update ssf_stream_events as event set kid = null,
  token_settings_id = case when event.state = 'pending' and moved.id is not null then null else event.token_settings_id end
from ssf_streams left join moved on moved.organization_id = ssf_streams.organization_id and moved.id = ssf_streams.id
where ssf_streams.organization_id = event.organization_id and ssf_streams.id = event.stream_id
  and event.token is null and event.kid in (select kid from shared);

-- What was signed with it verifies until 31 days from now. It is sealed for another place, so that it signs nothing.
update signing_keys set purpose = 'signals', retired_at = least(retired_at, now()) where purpose = 'shared_signals';
-- Sealed for another name; the next sign-in makes one.
delete from signing_keys where purpose = 'openid';

alter table ssf_streams drop column signing_purpose, drop column former_signing_purpose, drop column former_issuer;
alter table signing_keys drop constraint signing_keys_purpose_check;
alter table signing_keys
  add constraint signing_keys_purpose_check check (purpose in ('signals', 'challenge', 'oidc', 'entra'));
