-- Devices that proved themselves together in one sign-in, none of them registered: the person says which one this is.
alter table signin_sessions add column candidates jsonb not null default '[]';
