-- Blocks are counted by owner. What was held before then was counted by device, and has no limit to show.
alter table block_holds drop column device_limit;
alter table block_holds add column owner_limit integer;
-- Devices whose blocks of the hour before it took back.
alter table block_holds add column taken_back integer not null default 0;
alter table block_holds drop constraint block_holds_decision_check;
-- A hold ends when nothing is left to decide.
alter table block_holds add constraint block_holds_decision_check check (decision in ('released', 'discarded', 'ended'));

-- Whether the owner was told of the issue before it blocked the device, or would have: a held issue leaves the device as it was.
alter table issues add column told_before_block boolean not null default false;
-- What is held now stays as it is until someone decides: nothing is signaled by an upgrade.
update issues set told_before_block = true
from devices
where devices.organization_id = issues.organization_id and devices.id = issues.device_id
  and issues.hold_id is not null and issues.resolved_at is null and devices.auth_state = 'notified';
drop index issues_held;
create index issues_held on issues (organization_id, hold_id, device_id) where hold_id is not null and resolved_at is null;

-- Whether the configuration before told owners of issues; null where it told them as it does now.
alter table check_recomputations add column told_before boolean;
