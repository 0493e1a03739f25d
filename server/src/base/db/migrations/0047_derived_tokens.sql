-- What the tokens of a stream say besides the event itself, as addresses and settings were: a row for each state that they
-- had. An event names the one of the moment at which it was queued, and the key that signed then, so that its token
-- follows from its row and need not be kept.
create table ssf_token_settings (
  organization_id bigint not null,
  stream_id bigint not null,
  id integer not null,
  issuer text not null,
  audience text not null,
  spec_version text not null constraint ssf_token_settings_spec_version_check check (spec_version in ('v1_0', 'draft')),
  device_subject_format text not null
    constraint ssf_token_settings_device_subject_format_check check (device_subject_format in ('iss_sub', 'opaque')),
  constraint ssf_token_settings_pkey primary key (organization_id, stream_id, id),
  constraint ssf_token_settings_stream_fkey foreign key (organization_id, stream_id)
    references ssf_streams (organization_id, id) on delete cascade
);

-- Null until the server has started once: addresses are its settings.
alter table ssf_streams add column token_settings_id integer;
-- Null of events from before: their tokens are kept, as are those that are signed anew with another key.
alter table ssf_stream_events add column token_settings_id integer, add column kid text;
