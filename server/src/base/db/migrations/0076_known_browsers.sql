-- Whether a device had proved itself in the browser before: those sign-ins are not counted for their network.
alter table signin_sessions add column is_known_browser boolean not null default false;
