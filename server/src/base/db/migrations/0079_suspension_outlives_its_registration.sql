-- Of a registration that was suspended when it ended: it is suspended again if the device comes back to the person.
alter table ended_registrations add column suspended_at timestamptz(3);
