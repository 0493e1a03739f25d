-- The person groups that an application hears a person to be in. One that is deleted is in nobody's claims.
alter table signin_connections add column group_ids text[] not null default '{}';
