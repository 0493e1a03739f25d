import { sql } from 'kysely'

/**
 * Whether the check of an issue tells owners only since a change of its configuration that has yet to reach the device: until
 * then the issue is not shown, as before. Whoever settles the device meanwhile would signal what the change may hold.
 */
export const isYetToBeTold = sql<boolean>`exists (select from check_recomputations as running
  where running.organization_id = issues.organization_id and running.check_id = issues.check_id
    and running.finished_at is null and not running.told_before
    and issues.device_id > running.last_device_id and issues.detected_at <= running.requested_at)`
