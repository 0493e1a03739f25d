-- A connection is asked by a caller that has signed the person in (second_step), by an application whose people an upstream
-- signs in (application), or by Microsoft Entra.
alter table signin_connections
  drop constraint signin_connections_kind_check,
  alter column kind drop default,
  -- The algorithm that its requests are signed with; no other one is accepted.
  add column request_algorithm text
    constraint signin_connections_request_algorithm_check check (request_algorithm in ('RS256', 'PS256', 'ES256'));
update signin_connections set request_algorithm = case
    when request_keys->0->>'alg' = 'PS256' then 'PS256'
    when request_keys->0->>'kty' = 'RSA' then 'RS256'
    when request_keys->0->>'crv' = 'P-256' then 'ES256'
  end
where request_keys is not null;
-- Keys of another algorithm sign nothing that is accepted. Without them requests would not have to be signed.
update signin_connections set request_keys = null, mode = 'disabled'
where request_keys is not null and request_algorithm is null;
update signin_connections set kind = case when upstream_id is null then 'second_step' else 'application' end
where kind = 'oidc';
-- Requests that are not signed say nothing of the person that may be believed.
update signin_connections set mode = 'disabled' where kind = 'second_step' and request_keys is null;
alter table signin_connections
  drop column is_hint_trusted,
  add constraint signin_connections_kind_check check (kind in ('second_step', 'application', 'entra')),
  add constraint signin_connections_request_keys_check check ((request_keys is null) = (request_algorithm is null)),
  add constraint signin_connections_person_check check (
    case kind
      when 'second_step' then upstream_id is null and (request_keys is not null or mode = 'disabled')
      when 'application' then upstream_id is not null
      else upstream_id is null
    end
  );

-- The request of a caller is kept with its sign-in, and a sign-in is a row only once somebody may be vouched for.
delete from signin_sessions;
delete from oidc_records;
alter table signin_sessions
  drop constraint signin_sessions_evidence_check,
  add constraint signin_sessions_evidence_check check (evidence in ('asserted', 'none')),
  -- What the OpenID provider keeps of the request; null of Microsoft Entra's.
  add column interaction jsonb,
  drop column grant_id;
alter table oidc_records drop column uid;
