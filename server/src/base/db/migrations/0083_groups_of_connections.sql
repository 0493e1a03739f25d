-- The person groups that are shared with an application. One that is deleted is in nobody's claims.
alter table signin_connections add column group_ids text[] not null default '{}';
