import { sql } from 'kysely'
import { devicesById } from '../../base/db/devices-by-id.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { complianceChangeType } from './event-types.ts'
import { signingKidAt } from './token-settings.ts'

/** The channel on which deliverers and held polls learn that there is something for an organization's streams. */
export const signalChannel = 'ssf_signals'

export type ComplianceChange = {
  deviceId: string
  previous: 'compliant' | 'not-compliant'
  current: 'compliant' | 'not-compliant'
  initiator: 'policy' | 'admin' | 'user' | 'system'
  /** The same for everything that one context brings about. */
  txn: string
  occurredAt: string
}

/**
 * Writes compliance changes of an organization's devices into the ledger of each of its streams that is not switched
 * off, in the transaction that makes them true. Nothing is written where nobody listens.
 */
export async function queueComplianceChanges(
  tx: Tx,
  organizationId: string,
  changes: readonly ComplianceChange[],
): Promise<void> {
  if (changes.length === 0 || !(await hasListener(tx, organizationId))) return
  const subjects = await subjectsOf(tx, organizationId, changes)
  const signals = changes.map((change) => {
    const subject = subjects.get(change.deviceId)
    return { ...change, userEmail: subject?.email ?? null, event: eventOf(change, subject?.checks ?? []) }
  })
  await sql`
    with said as (
      insert into ssf_signals (organization_id, kind, device_id, user_email, event, txn, occurred_at)
      select ${organizationId}::bigint, 'compliance_change', device_id, user_email, event, txn, occurred_at
      from unnest(
        ${signals.map(({ deviceId }) => deviceId)}::bigint[], ${signals.map(({ userEmail }) => userEmail)}::text[],
        ${signals.map(({ event }) => JSON.stringify(event))}::jsonb[], ${signals.map(({ txn }) => txn)}::text[],
        ${signals.map(({ occurredAt }) => occurredAt)}::timestamptz[]
      ) as signal (device_id, user_email, event, txn, occurred_at)
      returning id, device_id, occurred_at
    )
    insert into ssf_stream_events (organization_id, stream_id, signal_id, device_id, queued_at, token_settings_id, kid)
    select ssf_streams.organization_id, ssf_streams.id, said.id, said.device_id, said.occurred_at,
      ssf_streams.token_settings_id, ${signingKidAt(sql`said.occurred_at`)}
    from said cross join ssf_streams
    where ${inOrganization('ssf_streams', organizationId)} and ssf_streams.status <> 'disabled'
      and ssf_streams.deleted_at is null and ${isRequested}
    order by said.id, ssf_streams.id
  `.execute(tx)
  await sql`select pg_notify(${signalChannel}, ${organizationId})`.execute(tx)
}

const isRequested = sql<boolean>`${complianceChangeType}::text = any(ssf_streams.events_requested)`

async function hasListener(tx: Tx, organizationId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('ssf_streams')
    .select('id')
    .where(inOrganization('ssf_streams', organizationId))
    .where('status', '<>', 'disabled')
    .where('deleted_at', 'is', null)
    .where(isRequested)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

type Subject = { device_id: string; email: string | null; checks: string[] }

/** Who owns the devices, and which checks block them as it is now. */
async function subjectsOf(tx: Tx, organizationId: string, changes: readonly ComplianceChange[]) {
  const { rows } = await sql<Subject>`
    select devices.id as device_id, people.email, coalesce(blocking.titles, '{}') as checks
    from ${devicesById(
      organizationId,
      changes.map(({ deviceId }) => deviceId),
    )}
    left join people on people.organization_id = devices.organization_id and people.id = devices.registered_owner_id
    left join lateral (
      select array_agg(distinct issues.title collate "C" order by issues.title collate "C") as titles from issues
      where issues.organization_id = devices.organization_id and issues.device_id = devices.id
        and issues.resolved_at is null and not issues.exempted and issues.blocks_device_at is not null
    ) as blocking on true
  `.execute(tx)
  return new Map(rows.map((row) => [row.device_id, row]))
}

const maximumTitles = 5

/** The members of a device compliance change (CAEP 1.0 §2, §3.5). */
function eventOf({ previous, current, initiator, occurredAt }: ComplianceChange, issues: readonly string[]) {
  const named = issues.slice(0, maximumTitles).join('; ') + (issues.length > maximumTitles ? '; and others' : '')
  const isBlocked = current === 'not-compliant'
  return {
    previous_status: previous,
    current_status: current,
    event_timestamp: Math.floor(Date.parse(occurredAt) / 1_000),
    initiating_entity: initiator,
    reason_admin: { en: isBlocked ? `Blocked by: ${named}` : 'No issue is blocking this device anymore' },
    ...(isBlocked && { reason_user: { en: `To sign in again, fix: ${named}` } }),
  }
}
