-- The companion of osquery is a package of its own.
alter table packages
  drop constraint packages_agent_check,
  add constraint packages_agent_check check (agent in ('osquery', 'muster_companion', 'muster_agent'));
