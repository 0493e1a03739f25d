import type { WebhookData } from '@muster/contract/webhook-events.ts'
import { sql } from 'kysely'
import type { ChangeOrigin, Initiator } from '../../base/change-context.ts'
import type { CompliancyStatus, StoredAuthState } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { type ComplianceChange, queueComplianceChanges } from '../streams/queue-signals.ts'
import { rememberPurged } from '../streams/remember-purged.ts'
import { announceToWebhooks } from './webhook-payloads.ts'

export type Announcement = { organizationId: string; cause: string; at: string } & (
  | {
      type: 'device_trust.status_changed'
      deviceId: string
      from: StoredAuthState
      to: StoredAuthState
      initiator: Initiator
      /** The check whose change brought it about, if one did. */
      decidedFor?: ChangeOrigin['decidedFor']
      /** Set when the device is registered and its compliance differs from the one last signalled. */
      compliance?: { previous: CompliancyStatus; current: CompliancyStatus }
    }
  | { type: 'issues.new' | 'issues.resolved'; deviceId: string; issueId: string; checkId: string; title: string }
  | { type: 'devices.created' | 'devices.registered'; deviceId: string; deviceName: string }
  | { type: 'devices.registration_suspended'; deviceId: string; deviceName: string; reason: string }
  | { type: 'devices.identity_conflict'; deviceId: string; deviceName: string }
  | { type: 'devices.updated'; deviceId: string; deviceName: string; changes: readonly ReportedChange[] }
  // Announced while the device is still there to be read.
  | { type: 'devices.destroyed'; deviceId: string; deviceName: string }
  | {
      type: 'auth_logs.success' | 'auth_logs.failure'
      authLogId: string
      /** Null, as all about a device, when someone signs in without one. */
      deviceId: string | null
      deviceName: string | null
      agentVersion: string | null
      personId: string | null
      browserName: string
      browserVersion: string
    }
  | {
      type: 'admin_users.created'
      deviceId: null
      adminUserId: string
      firstName: string
      lastName: string
      email: string
      access: 'full' | 'limited' | 'billing_only'
    }
  | ({ type: 'requests.issue_exemption'; issueIds: readonly string[] } & RequestNews)
  | ({ type: 'requests.registration' } & RequestNews)
)

/** What a device reports differently from before; `from` is null where nothing was known. */
type ReportedChange = WebhookData<'devices.updated'>['changes'][number]

/** What receivers learn about someone's request, as it was when it was made. */
type RequestNews = {
  deviceId: string
  deviceName: string
  requestId: string
  personId: string
  personEmail: string
  message: string
}

/**
 * The one place that says what the outside is told. Call it in the transaction that makes the news true: the news
 * and the change are then kept or lost together. `cause` is the same for everything that one context brings about.
 */
export async function announce(tx: Tx, announcements: readonly Announcement[]): Promise<void> {
  if (announcements.length === 0) return
  const rows = announcements.map(({ organizationId, type, deviceId, cause, at, ...data }) => ({
    organizationId,
    type,
    deviceId,
    cause,
    at,
    data: JSON.stringify(data),
  }))
  await sql`
    insert into events (organization_id, type, device_id, cause, data, occurred_at)
    select * from unnest(
      ${rows.map((row) => row.organizationId)}::bigint[], ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.deviceId)}::bigint[], ${rows.map((row) => row.cause)}::text[],
      ${rows.map((row) => row.data)}::jsonb[], ${rows.map((row) => row.at)}::timestamptz[]
    )
  `.execute(tx)
  const byOrganization = Map.groupBy(announcements, ({ organizationId }) => organizationId)
  for (const [organizationId, own] of byOrganization) {
    await queueComplianceChanges(tx, organizationId, own.flatMap(complianceChangeOf))
    const destroyed = own.filter((announcement) => announcement.type === 'devices.destroyed')
    await rememberPurged(tx, organizationId, destroyed)
    await announceToWebhooks(tx, organizationId, own)
  }
}

/** Receivers of signals hear of compliance only, and only when it differs from what they last heard. */
function complianceChangeOf(announcement: Announcement): ComplianceChange[] {
  if (announcement.type !== 'device_trust.status_changed' || !announcement.compliance) return []
  const { deviceId, initiator, cause, at, compliance } = announcement
  return [{ deviceId, initiator, txn: cause, occurredAt: at, ...compliance }]
}
