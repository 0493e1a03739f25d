-- Rows of these tables are rewritten with each report of a device; the usual fifth of a table is too much to leave behind.
alter table check_results set (autovacuum_vacuum_scale_factor = 0.02);
alter table device_presence set (autovacuum_vacuum_scale_factor = 0.02);
alter table device_check_runs set (autovacuum_vacuum_scale_factor = 0.02);

-- Machines are found by `lower(hardware_uuid)`, as searches are.
drop index devices_hardware_uuid;
