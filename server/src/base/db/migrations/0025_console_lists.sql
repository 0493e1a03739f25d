-- The orders of the console's lists.
create index checks_by_name on checks (organization_id, name, id);
create index issues_open_newest on issues (organization_id, detected_at, id) where resolved_at is null;
