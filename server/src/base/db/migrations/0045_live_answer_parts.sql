-- The rows of an answer beyond the first part, which its result holds.
create table live_query_result_parts (
  organization_id bigint not null,
  result_id bigint not null,
  first_row integer not null,
  rows jsonb not null,
  constraint live_query_result_parts_pkey primary key (organization_id, result_id, first_row),
  constraint live_query_result_parts_result_fkey foreign key (organization_id, result_id) references live_query_results (organization_id, id) on delete cascade
);
alter table live_query_results add column rows_in_parts integer not null default 0;

-- Length of the parts of all answers, as JSON text.
alter table live_query_tallies add column part_characters bigint not null default 0;
