-- Whether someone of a pinned domain whom it vouches for and nobody knows is added as a person at their first sign-in.
alter table signin_upstreams add column creates_people boolean not null default false;
