-- Serial numbers are compared in any case, as hardware UUIDs are.
drop index devices_serial;
create index devices_serial on devices (organization_id, folded(serial));
