-- A hardware UUID is found in upper and in lower case: agents report it in either.
create index devices_hardware_uuid_lower on devices (organization_id, lower(hardware_uuid));
