-- Of the devices that a check is counted on, how many stand how: `counted` is their sum with `passing`.
alter table check_tallies
  add column failing integer not null default 0,
  add column errored integer not null default 0,
  add column unknown integer not null default 0,
  add column stale integer not null default 0,
  add column pending integer not null default 0;

update check_tallies as tally set failing = now_counted.failing, errored = now_counted.errored,
  unknown = now_counted.unknown, stale = now_counted.stale, pending = now_counted.pending
from (
  select result.organization_id, result.check_id, result.device_id % 32 as shard,
    count(*) filter (where result.status = 'failing') as failing,
    count(*) filter (where result.status = 'errored') as errored,
    count(*) filter (where result.status = 'unknown') as unknown,
    count(*) filter (where result.status = 'stale') as stale,
    count(*) filter (where result.status = 'pending') as pending
  from check_results as result
  join devices on devices.organization_id = result.organization_id and devices.id = result.device_id
  where devices.deleted_at is null
  group by 1, 2, 3
) as now_counted
where now_counted.organization_id = tally.organization_id and now_counted.check_id = tally.check_id
  and now_counted.shard = tally.shard;

-- Null for days that were noted before it was known.
alter table check_days add column failing integer;
