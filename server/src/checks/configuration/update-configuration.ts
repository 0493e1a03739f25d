import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endHoldsOfCheck } from '../../compliance/targeting/decide-hold.ts'
import { requestRecomputation } from '../../compliance/targeting/request-recomputation.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { isBlocking, isTelling } from '../../inventory/devices/rules.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { auditChanges, changesSchedule, scopeOf } from './configuration-changes.ts'
import { describeChanges, groupsIn } from './describe-settings.ts'
import { listGroupNames } from './list-group-names.ts'
import { readSettingsChange } from './read-settings-change.ts'
import type { SettingName, Settings } from './settings.ts'

type Update = {
  checkId: string
  request: CheckConfigurationRequest
  /** The moment before which the check blocks nobody. Null: there is none; left out: as it is. */
  beginsBlockingOn?: string | null | undefined
}

/**
 * Changes how a check is run and what its failures lead to. A request that changes nothing writes nothing; any other
 * raises the revision, is audited field by field, and has the touched devices decided again in the background.
 */
export async function updateConfiguration(tx: Tx, update: Update, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { checkId } = update
  const stored = orNotFound(await lockConfiguration(tx, organizationId, checkId))
  const { before, after, changed } = await readSettingsChange(tx, organizationId, stored, update)
  if (changed.length === 0) return
  await write(tx, update, after, changed, context)
  if (after.is_paused || !isBlocking(after)) await endHoldsOfCheck(tx, checkId, context)
  const scope = scopeOf(changed)
  if (scope) await requestRecomputation(tx, { checkId, scope, toldBefore: isTelling(stored) }, context)
  if (changesSchedule(changed)) await queueAgentNotice(tx, organizationId, null, now)
  const names = await listGroupNames(tx, organizationId, [...groupsIn(before), ...groupsIn(after)])
  await recordAudit(
    tx,
    {
      action: 'check.configured',
      about: { check: checkId },
      description: `Updated the configuration of the check "${stored.name}": ${describeChanges(before, after, changed, names)}.`,
      changes: auditChanges(before, after, changed),
    },
    context,
  )
}

/** The configuration of a check with what it belongs to, which nobody else changes until the transaction ends. */
export const lockConfiguration = (tx: Tx, organizationId: string, checkId: string) =>
  tx
    .selectFrom('check_configurations')
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'check_configurations.organization_id')
        .onRef('checks.id', '=', 'check_configurations.check_id'),
    )
    .selectAll('check_configurations')
    .select(['checks.name', 'checks.option_definitions'])
    .where(inOrganization('check_configurations', organizationId))
    .where('check_configurations.check_id', '=', checkId)
    .where('checks.deletion_requested_at', 'is', null)
    .forUpdate('check_configurations')
    .executeTakeFirst()

async function write(
  tx: Tx,
  update: Update,
  after: Settings,
  changed: readonly SettingName[],
  context: ChangeContext,
): Promise<void> {
  const { is_paused, options, ...rest } = after
  await tx
    .updateTable('check_configurations')
    .set((row) => ({
      remediation_strategy: rest.remediation_strategy,
      block_auth_grace_period_days: rest.block_auth_grace_period_days,
      auth_check_run_shelf_life_seconds: rest.auth_check_run_shelf_life_seconds,
      snooze_disallowed: rest.snooze_disallowed,
      exemptions_disallowed: rest.exemptions_disallowed,
      targeted_groups: [...rest.targeted_groups],
      excluded_groups: [...rest.excluded_groups],
      blocking_allowed_groups: [...rest.blocking_allowed_groups],
      blocking_excluded_groups: [...rest.blocking_excluded_groups],
      begins_blocking_on: rest.begins_blocking_on,
      revision: sql`${row.ref('revision')} + 1`,
      updated_at: context.now,
      ...(changed.includes('options')
        ? { options: JSON.stringify(options), query_revision: sql`${row.ref('query_revision')} + 1` }
        : {}),
      ...(changed.includes('is_paused')
        ? { paused_at: is_paused ? context.now : null, paused_by: is_paused ? context.actor.name : null }
        : {}),
    }))
    .where(inOrganization('check_configurations', context.organizationId))
    .where('check_id', '=', update.checkId)
    .execute()
}
