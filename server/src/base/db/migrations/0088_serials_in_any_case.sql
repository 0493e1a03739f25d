-- `serial:` finds a serial number in any case, as `hardware_uuid:` does.
create index devices_serial_in_any_case on devices (organization_id, folded(serial));
