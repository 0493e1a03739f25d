-- Microsoft Entra asks for a device as a factor of its own, by another protocol than OpenID Connect clients.
alter table signin_connections
  add column kind text not null default 'oidc'
    constraint signin_connections_kind_check check (kind in ('oidc', 'entra')),
  add column entra_cloud text
    constraint signin_connections_entra_cloud_check check (entra_cloud in ('global', 'us_government', 'china')),
  -- Whose people may sign in, and the app registration that hints are for.
  add column entra_tenant_ids text[],
  add column entra_app_id text,
  add constraint signin_connections_entra_check check (
    (kind = 'entra') = (entra_cloud is not null and entra_tenant_ids is not null and entra_app_id is not null)
  );

alter table signin_sessions
  -- What an answer to Entra repeats of its request.
  add column entra_request jsonb;

alter table signing_keys drop constraint signing_keys_purpose_check;
alter table signing_keys
  add constraint signing_keys_purpose_check check (purpose in ('signals', 'shared_signals', 'openid', 'entra')),
  -- DER: Entra reads keys from certificates.
  add column certificate bytea,
  add constraint signing_keys_certificate_check check ((purpose = 'entra') = (certificate is not null));
