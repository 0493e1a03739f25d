import { type Feature, features } from '@muster/contract/features.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { queueAgentNotice } from '../devices/queue-agent-notice.ts'

type FeatureChange = { feature: Feature; isOn: boolean }

/** Switches a part of the plan on or off; every process heeds it from its next request on. False: it was so already. */
export async function setFeature(tx: Tx, change: FeatureChange, context: ChangeContext): Promise<boolean> {
  const { organizationId, now } = context
  const { feature, isOn } = change
  const organization = await tx
    .selectFrom('organizations')
    .select('disabled_features')
    .where('id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
  const { disabled_features: disabled } = orNotFound(organization)
  if (disabled.includes(feature) !== isOn) return false
  const others = disabled.filter((name) => name !== feature)
  await tx
    .updateTable('organizations')
    .set({ disabled_features: isOn ? others : [...others, feature] })
    .where('id', '=', organizationId)
    .execute()
  // What devices are asked depends on the plan, and processes remember it.
  await queueAgentNotice(tx, organizationId, null, now)
  const changes = [{ field: feature, from: !isOn, to: isOn }]
  const description = `Switched ${isOn ? 'on' : 'off'} the feature "${features[feature].title}".`
  await recordAudit(
    tx,
    { action: 'organization.feature_switched', about: { organization: organizationId }, description, changes },
    context,
  )
  return true
}
