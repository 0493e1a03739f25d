-- The rows of a run as one value: each row's JSON and a line feed, in their order. `slice_ends` has the byte at which each
-- 25 rows end, so that a page is cut out of the value. Kept are the latest run and the one with other rows before it.
create table reporting_query_runs (
  organization_id bigint not null,
  query_id bigint not null,
  run_id bigint not null,
  row_count integer not null,
  slice_ends integer[] not null,
  -- SHA-256 of the content.
  digest bytea not null,
  content bytea not null,
  constraint reporting_query_runs_pkey primary key (organization_id, query_id, run_id),
  constraint reporting_query_runs_query_fkey foreign key (organization_id, query_id) references reporting_queries (organization_id, id) on delete cascade
);
-- Of a compressed value a part cannot be read alone.
alter table reporting_query_runs alter column content set storage external;

insert into reporting_query_runs (organization_id, query_id, run_id, row_count, slice_ends, digest, content)
select organization_id, query_id, run_id, row_count, slice_ends, sha256(content), content
from (
  select organization_id, query_id, run_id, count(*) as row_count,
    array_agg(ends_at order by place) filter (where place % 25 = 0 or place = last_place) as slice_ends,
    string_agg(line, '' order by place) as content
  from (
    select organization_id, query_id, run_id, line,
      row_number() over run as place,
      count(*) over (partition by organization_id, query_id, run_id) as last_place,
      sum(octet_length(line)) over run as ends_at
    from (
      select organization_id, query_id, run_id, position, convert_to(content::text || chr(10), 'UTF8') as line
      from reporting_query_results
    ) as lines
    window run as (partition by organization_id, query_id, run_id order by position)
  ) as places
  group by organization_id, query_id, run_id
) as runs;

-- Runs without rows had none stored.
insert into reporting_query_runs (organization_id, query_id, run_id, row_count, slice_ends, digest, content)
select organization_id, id, run_id, 0, '{}', sha256(''), '' from reporting_queries where run_id is not null
on conflict do nothing;

drop table reporting_query_results;
