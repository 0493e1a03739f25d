import type { AuditAction } from '@muster/contract/audit-actions.ts'
import { sql } from 'kysely'
import { systemChange } from '../../base/change-context.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { aboutRequest, describeExemptionRequest, describeRegistrationRequest } from './describe-request.ts'
import { lockExemptionRequest, lockRegistrationRequest } from './lock-request.ts'
import { setExemptionStatus } from './set-exemption-status.ts'
import { setRegistrationStatus } from './set-registration-status.ts'

type Waiting = { kind: 'exemption' | 'registration'; organizationId: string; requestId: string }

const requestsPerBatch = 200
const reason = 'the person was deprovisioned'

/**
 * Ends what people who were deprovisioned were still waiting for: exemption requests are withdrawn, registration
 * requests denied. Each in a transaction of its own; returns how many.
 */
export async function endRequestsOfLeavers(db: Db, clock: () => string): Promise<number> {
  let ended = 0
  for (;;) {
    const waiting = await listWaiting(db)
    for (const request of waiting) {
      const isEnded = await transact(db, (tx) => end(tx, request, clock()))
      if (isEnded) ended += 1
    }
    if (waiting.length < requestsPerBatch) return ended
  }
}

/** Those of deleted devices wait until the device is restored, or go with it. */
async function listWaiting(db: Db): Promise<Waiting[]> {
  const { rows } = await sql<{ kind: Waiting['kind']; organization_id: string; id: string }>`
    select request.kind, request.organization_id, request.id
    from (
      select 'exemption' as kind, organization_id, id, person_id, device_id
      from exemption_requests where status = 'open'
      union all
      select 'registration' as kind, organization_id, id, person_id, device_id
      from registration_requests where status = 'pending'
    ) as request
    join people on people.organization_id = request.organization_id and people.id = request.person_id
      and people.deprovisioned_at is not null
    join devices on devices.organization_id = request.organization_id and devices.id = request.device_id
      and devices.deleted_at is null
    order by request.organization_id, request.kind, request.id limit ${requestsPerBatch}
  `.execute(db)
  return rows.map((row) => ({ kind: row.kind, organizationId: row.organization_id, requestId: row.id }))
}

/** Whether it was still waiting, and the person still gone, under the lock. */
async function end(tx: Tx, { kind, ...key }: Waiting, now: string): Promise<boolean> {
  const ended = kind === 'exemption' ? await withdraw(tx, key, now) : await deny(tx, key, now)
  if (ended === undefined) return false
  const { organizationId } = key
  const { action, about, sentence } = ended
  const context = systemChange(organizationId, now)
  await recordAudit(tx, { action, about, description: `${sentence}: ${reason}.` }, context)
  return true
}

type Key = Omit<Waiting, 'kind'>
type Ended = { action: AuditAction; sentence: string; about: ReturnType<typeof aboutRequest> }

async function withdraw(tx: Tx, key: Key, now: string): Promise<Ended | undefined> {
  const subject = await lockExemptionRequest(tx, key.organizationId, key.requestId)
  if (subject.request.status !== 'open' || subject.requester.deprovisioned_at === null) return undefined
  await setExemptionStatus(tx, key, { status: 'withdrawn' }, now)
  const sentence = `Withdrew ${describeExemptionRequest(subject)}`
  return { action: 'exemption_request.withdrawn', sentence, about: aboutRequest(subject) }
}

async function deny(tx: Tx, key: Key, now: string): Promise<Ended | undefined> {
  const subject = await lockRegistrationRequest(tx, key.organizationId, key.requestId)
  if (subject.request.status !== 'pending' || subject.requester.deprovisioned_at === null) return undefined
  const decision = { status: 'denied', internalMessage: 'The person was deprovisioned.', explanation: null } as const
  await setRegistrationStatus(tx, key, decision, now)
  const sentence = `Denied ${describeRegistrationRequest(subject)}`
  return { action: 'registration_request.denied', sentence, about: aboutRequest(subject) }
}
