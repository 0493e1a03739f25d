import type { Permission } from '@muster/contract/permissions.ts'
import { addDeviceGroupMembers } from '../../administration/groups/add-device-group-members.ts'
import { moveEnded } from '../../administration/registrations/ended-registrations.ts'
import { markDeleted } from '../../administration/registrations/mark-deleted.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { suspendRegistration } from '../../administration/registrations/suspend-registration.ts'
import type { ChangeContext, ChangeOrigin } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { exemptCheck } from '../../compliance/exemptions/exempt-check.ts'
import { refreshAll } from '../../compliance/results/refresh-failing.ts'
import { lockTallies } from '../../compliance/standing/adjust-tallies.ts'
import { holdConfigurations } from '../../compliance/standing/hold-configurations.ts'
import { followReportedFacts } from '../../inventory/devices/follow-reported-facts.ts'
import { lockDevice, lockDevices } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { takeOverDevice } from '../../inventory/devices/take-over-device.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { mergeCompanionKeys } from '../companion-keys/merge-companion-keys.ts'
import { endNodeKeys, moveNodeKeys } from '../protocol/node-key-lookups.ts'
import { getPair, type Pair, refuseOther } from './get-pair.ts'
import { listExemptionsToTake, listGroupsToJoin, type MergedDevice } from './queries.ts'
import { agentOf, doubtOf, needsConfirmation, powersFor } from './rules.ts'

type Merge = Omit<Pair, 'organizationId'> & {
  /** Whoever merges says so where the devices themselves show the opposite. */
  isOneMachine: boolean
  /** Refuses whoever merges without a power that what is moved needs. */
  requirePower: (permission: Permission) => void
}

/**
 * Makes one device of two records of one machine: the kept one takes over the agent and what it has none of, the other one
 * is deleted as by hand. Fails with not_found, and with invalid for two that cannot be one, and for two that both report
 * with nothing in common unless `isOneMachine` says so. Asks for the powers to do by hand what is moved. The registration is
 * suspended where the agent that continues was not registered to the owner.
 */
export async function mergeDevices(tx: Tx, merge: Merge, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { keptId, otherId } = merge
  const pair = { organizationId, keptId, otherId }
  await holdConfigurations(tx, organizationId)
  const locked = await lockDevices(tx, organizationId, [keptId, otherId])
  const { kept, other } = await getPair(tx, pair)
  if (needsConfirmation(kept, other, now) && !merge.isOneMachine) {
    refuseOther(
      'is reporting too and shares neither serial nor hardware UUID with the device that stays: wait until one of them has been silent for ten minutes, or confirm that they are one machine',
    )
  }
  // In the order of everyone who locks more than a device: see `reconcileDevices`.
  if (other.registered_owner_id !== null) await lockPerson(tx, organizationId, other.registered_owner_id)
  await lockTallies(tx, organizationId, [keptId, otherId])
  await markDeleted(tx, orNotFound(locked.find(({ id }) => id === otherId)), context)
  const agent = agentOf(kept, other)
  if (agent === 'other') await moveNodeKeys(tx, { organizationId, fromId: otherId, toId: keptId })
  // A record that is restored must not bring a second agent back.
  else await endNodeKeys(tx, organizationId, otherId)
  await mergeCompanionKeys(tx, pair, agent ?? 'kept')
  await takeFacts(tx, pair, { kept, other, isAgentMoved: agent === 'other' }, context)
  await takeStanding(tx, pair, { kept, other, requirePower: merge.requirePower }, context)
  await refreshAll(tx, { organizationId, deviceIds: [keptId], now })
  await queueAgentNotice(tx, organizationId, keptId, now)
  await recordAudit(
    tx,
    {
      action: 'device.merged',
      about: { device: [keptId, otherId] },
      description: `Merged the device "${other.name}" (${otherId}) into the device "${kept.name}" (${keptId}), and deleted "${other.name}". ${agentSentence(agent)}`,
    },
    context,
  )
}

const agentSentence = (agent: ReturnType<typeof agentOf>): string =>
  agent === 'other'
    ? 'The agent of the deleted device continues as the other one.'
    : 'The agent of the deleted device is refused.'

type Both = { kept: MergedDevice; other: MergedDevice }

/** Who carries on decides what the machine is called and known by; what is not known of it stays. */
async function takeFacts(
  tx: Tx,
  { organizationId, keptId }: Pair,
  both: Both & { isAgentMoved: boolean },
  context: ChangeOrigin,
) {
  const { kept, other, isAgentMoved } = both
  const [first, second] = isAgentMoved ? [other, kept] : [kept, other]
  const isNameTaken = other.is_named && !kept.is_named
  if (isAgentMoved || isNameTaken) {
    const { operating_system, hardware_model, agent_version, name } = other
    const told = { ...(isAgentMoved && { operating_system, hardware_model, agent_version }), name }
    const facts = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null))
    await followReportedFacts(tx, { organizationId, deviceId: keptId }, facts, context)
  }
  await takeOverDevice(
    tx,
    { organization_id: organizationId, id: keptId },
    {
      serial: first.serial ?? second.serial,
      hardware_uuid: first.hardware_uuid ?? second.hardware_uuid,
      machine_id: first.machine_id ?? second.machine_id,
      host_identifier: first.host_identifier ?? second.host_identifier,
      enrolled_at: first.enrolled_at ?? second.enrolled_at,
      note: kept.note ?? other.note,
      is_named: kept.is_named || other.is_named,
      has_had_owner: kept.has_had_owner || other.has_had_owner,
    },
  )
}

/** Groups, exemptions and the owner, each with the right, the entry and the events that it has by hand. */
async function takeStanding(
  tx: Tx,
  pair: Pair,
  { kept, other, requirePower }: Both & Pick<Merge, 'requirePower'>,
  context: ChangeContext,
): Promise<void> {
  const { keptId } = pair
  const groups = await listGroupsToJoin(tx, pair)
  const exemptions = await listExemptionsToTake(tx, pair, context.now)
  await moveEnded(tx, pair)
  const personId = kept.registered_owner_id === null ? other.registered_owner_id : null
  const taken = { hasOwner: personId !== null, exemptions: exemptions.length, groups: groups.length }
  for (const power of powersFor(taken)) requirePower(power)
  for (const { id: groupId } of groups) await addDeviceGroupMembers(tx, { groupId, deviceIds: [keptId] }, context)
  for (const { check_id: checkId, reason, exemption_expires_at: expiresAt } of exemptions) {
    await exemptCheck(tx, { deviceId: keptId, checkId, reason, expiresAt }, context)
  }
  if (personId !== null) await registerDevice(tx, { deviceId: keptId, personId }, context)
  const doubt = doubtOf(kept, other)
  if (doubt === undefined) return
  await suspendRegistration(tx, orNotFound(await lockDevice(tx, pair.organizationId, keptId)), doubt, context)
}
