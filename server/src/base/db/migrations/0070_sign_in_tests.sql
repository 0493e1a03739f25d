-- Sign-ins in which an administrator tries a connection: the page shows each step, and no log begins.
alter table signin_sessions add column is_test boolean not null default false;
