-- How the tokens of v1_0 streams name the device; those of draft streams are opaque whatever it says here.
alter table ssf_streams add column device_subject_format text not null default 'iss_sub'
  constraint ssf_streams_device_subject_format_check check (device_subject_format in ('iss_sub', 'opaque'));
update ssf_streams set device_subject_format = 'opaque' where spec_version = 'draft';

-- Polls that are held open, by all processes: a place ends at the latest when it expires, also after a crash.
create unlogged table ssf_poll_holds (
  organization_id bigint not null,
  stream_id bigint not null,
  place smallint not null,
  holder uuid not null,
  expires_at timestamptz(3) not null,
  constraint ssf_poll_holds_pkey primary key (organization_id, stream_id, place),
  constraint ssf_poll_holds_stream_fkey foreign key (organization_id, stream_id) references ssf_streams (organization_id, id) on delete cascade
) with (fillfactor = 50);
alter table ssf_poll_windows add constraint ssf_poll_windows_stream_fkey
  foreign key (organization_id, stream_id) references ssf_streams (organization_id, id) on delete cascade;
