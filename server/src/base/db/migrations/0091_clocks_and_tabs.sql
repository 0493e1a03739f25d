-- How far the clock of its caller was ahead, in milliseconds, as a signed request says; and the tab that the sign-in was in.
alter table signin_sessions
  add column caller_ahead_ms integer,
  add column tab text constraint signin_sessions_tab_check check (length(tab) <= 64);
