-- Where an application wants people to be led back to when it signs them out (RP-Initiated Logout 1.0), and whether it has to send PKCE.
alter table signin_connections
  add column post_logout_redirect_uris text[] not null default '{}',
  add column requires_pkce boolean not null default true,
  add constraint signin_connections_pkce_check
    check (requires_pkce or (kind = 'application' and sealed_client_secret is not null));

-- Whether our own address for it is registered at the provider, so that people are signed out there as well.
alter table signin_upstreams add column signs_out boolean not null default false;

-- The last request of a connection that was refused. In a table of its own: from each row of a connection a provider is made.
create table signin_refusals (
  organization_id bigint not null,
  connection_id bigint not null,
  reason text not null,
  refused_at timestamptz(3) not null,
  constraint signin_refusals_pkey primary key (organization_id, connection_id),
  constraint signin_refusals_connection_fkey foreign key (organization_id, connection_id)
    references signin_connections (organization_id, id) on delete cascade
);
