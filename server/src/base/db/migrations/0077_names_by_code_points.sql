-- Names in the console come in one order, whatever the locale of the database.
drop index devices_by_name;
create index devices_by_name on devices (organization_id, (folded(name) collate "C"), id) where deleted_at is null;
drop index checks_by_name;
create index checks_by_name on checks (organization_id, name collate "C", id);
