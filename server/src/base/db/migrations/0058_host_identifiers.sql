-- What an agent calls its machine tells two machines apart that share the UUID of their boards.
alter table devices add column host_identifier text;
-- UUIDs that tell no machine apart, as enrollments no longer take them: no form, known ones, two different bytes at most.
update devices set hardware_uuid = null
where device_type in ('Mac', 'Linux', 'Windows') and hardware_uuid is not null and (
  hardware_uuid !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  or lower(hardware_uuid) in (
    '03000200-0400-0500-0006-000700080009', '00020003-0004-0005-0006-000700080009',
    '00010203-0405-0607-0809-0a0b0c0d0e0f', '03020100-0504-0706-0809-0a0b0c0d0e0f',
    '12345678-1234-5678-90ab-cddeefaabbcc', '78563412-3412-7856-90ab-cddeefaabbcc',
    '10000000-0000-8000-0040-000000000000', '00000010-0000-0080-0040-000000000000')
  or (select count(distinct substr(replace(hardware_uuid, '-', ''), 2 * place + 1, 2)) from generate_series(0, 15) as place) < 3);
