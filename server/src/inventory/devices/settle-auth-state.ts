import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { StoredAuthState } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { type Announcement, announce } from '../../signals/events/announce.ts'
import { isYetToBeTold } from './issues-to-decide.ts'
import type { LockedDevice } from './lock-device.ts'
import { type AuthStateDecision, compliancyOf, decideAuthState, type StateOfIssue, stateOfIssue } from './rules.ts'

/** A locked device, and what any change of its state is put down to. */
type Touched = { device: LockedDevice; context: ChangeOrigin }
type Settled = Touched & { decision: AuthStateDecision; signalled: LockedDevice['signalled_status'] }

/**
 * Brings the state of locked devices in line with their open issues, and announces what changed. Writes only the
 * devices whose state differs.
 */
export async function settleEachAuthState(tx: Tx, organizationId: string, touched: readonly Touched[]): Promise<void> {
  if (touched.length === 0) return
  const deviceIds = touched.map(({ device }) => device.id)
  const issues = await openIssuesOf(tx, organizationId, deviceIds)
  const changed = touched
    .map((one) => decide(one, issues.get(one.device.id) ?? []))
    .filter(({ device, decision, signalled }) => differs(device, decision) || signalled !== device.signalled_status)
  if (changed.length === 0) return
  await write(tx, organizationId, changed)
  await announce(tx, changed.flatMap(newsOf))
}

/** The same for devices of one organization and one context. */
export async function settleAuthStates(tx: Tx, devices: readonly LockedDevice[], context: ChangeOrigin): Promise<void> {
  const touched = devices.map((device) => ({ device, context }))
  await settleEachAuthState(tx, devices[0]?.organization_id ?? '', touched)
}

export const settleAuthState = (tx: Tx, device: LockedDevice, context: ChangeOrigin): Promise<void> =>
  settleAuthStates(tx, [device], context)

/** Many issues of a device mean the same for its state: those are read once. */
async function openIssuesOf(tx: Tx, organizationId: string, deviceIds: readonly string[]) {
  const rows = await tx
    .selectFrom('issues')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
    .select([
      'issues.device_id',
      'issues.exempted',
      'issues.blocks_device_at',
      'issues.hold_id',
      'issues.told_before_block',
      'configuration.remediation_strategy',
      'configuration.paused_at',
      isYetToBeTold.as('is_yet_to_be_told'),
    ])
    .where(inOrganization('issues', organizationId))
    .where('issues.device_id', '=', sql<string>`any(${deviceIds}::bigint[])`)
    .where('issues.resolved_at', 'is', null)
    .distinct()
    .execute()
  const byDevice = new Map<string, StateOfIssue[]>()
  for (const row of rows) {
    const issues = byDevice.get(row.device_id)
    if (issues) issues.push(stateOfIssue(row))
    else byDevice.set(row.device_id, [stateOfIssue(row)])
  }
  return byDevice
}

function decide({ device, context }: Touched, issues: readonly StateOfIssue[]): Settled {
  const isRegistered = device.registered_owner_id !== null
  const decision = decideAuthState(device, issues, context.now)
  // Losing the owner is no news about compliance: what was last signalled stands until someone registers the device.
  const current = compliancyOf(decision.auth_state)
  const isNews = isRegistered && current !== (device.signalled_status ?? 'compliant')
  return { device, context, decision, signalled: isNews ? current : device.signalled_status }
}

const differs = (before: AuthStateDecision, after: AuthStateDecision): boolean =>
  before.auth_state !== after.auth_state || before.will_block_at !== after.will_block_at

async function write(tx: Tx, organizationId: string, changed: readonly Settled[]): Promise<void> {
  await sql`
    update devices
    set auth_state = changed.auth_state, will_block_at = changed.will_block_at, signalled_status = changed.signalled
    from unnest(
      ${changed.map(({ device }) => device.id)}::bigint[],
      ${changed.map(({ decision }) => decision.auth_state)}::text[],
      ${changed.map(({ decision }) => decision.will_block_at)}::timestamptz[],
      ${changed.map(({ signalled }) => signalled)}::text[]
    ) as changed (id, auth_state, will_block_at, signalled)
    where ${inOrganization('devices', organizationId)} and devices.id = changed.id
  `.execute(tx)
}

function newsOf({ device, context, decision, signalled }: Settled): Announcement[] {
  const to: StoredAuthState = decision.auth_state
  if (to === device.auth_state && signalled === device.signalled_status) return []
  const previous = device.signalled_status ?? 'compliant'
  const current = signalled ?? 'compliant'
  return [
    {
      type: 'device_trust.status_changed',
      organizationId: device.organization_id,
      deviceId: device.id,
      from: device.auth_state,
      to,
      initiator: context.initiator,
      cause: context.cause,
      at: context.now,
      ...(context.decidedFor && { decidedFor: context.decidedFor }),
      ...(previous === current ? {} : { compliance: { previous, current } }),
    },
  ]
}
