-- Okta and Microsoft Entra are products that sign people in before their device is checked.
alter table signin_upstreams
  drop constraint signin_upstreams_provider_check,
  add constraint signin_upstreams_provider_check
    check (provider in ('google', 'entra', 'okta', 'keycloak', 'authentik', 'zitadel', 'auth0', 'oidc'));
