import type { Clock } from '../../base/clock.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Reader, type Tx, transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { hasOpenJob, queueJob } from '../../base/jobs/queue-job.ts'
import { verifyChain } from './verify-chain.ts'

const jobName = 'verify-audit-log'

type Walk = { organizationId: string; clock: Clock; signal?: AbortSignal | undefined }

/** Walks along the audit log of an organization and keeps what that has found in place of what was kept before. */
export async function keepVerification(db: Db, { organizationId, clock, signal }: Walk): Promise<void> {
  const verdict = await verifyChain(db, { organizationId, signal })
  const found = verdict.isIntact
    ? { entries_count: String(verdict.count), last_id: verdict.lastId, fault: null, faulty_id: null }
    : { entries_count: '0', last_id: '0', fault: verdict.fault, faulty_id: verdict.entry?.id ?? null }
  const row = { ...found, verified_at: clock() }
  await transact(db, (tx) =>
    tx
      .insertInto('audit_verifications')
      .values({ organization_id: organizationId, ...row })
      .onConflict((conflict) => conflict.constraint('audit_verifications_pkey').doUpdateSet(row))
      .execute(),
  )
}

/** Has the log walked along in the background; a walk that is waiting already serves. */
async function requestVerification(tx: Tx, organizationId: string): Promise<void> {
  await queueJob(tx, jobName, { organizationId }, { singletonKey: organizationId })
}

/** How long a finished walk has to serve everyone who asks for another one. */
const servesForMs = 600_000

/**
 * For an administrator who asks: a walk along the whole log costs as much as the log is long, so an organization has one at
 * a time, and no other for ten minutes. Does nothing while one waits or runs; fails with `rate_limited` after one.
 */
export async function askForVerification(tx: Tx, organizationId: string, now: string): Promise<void> {
  if (await hasOpenJob(tx, jobName, organizationId)) return
  const latest = await findVerification(tx, organizationId)
  const ageMs = latest === undefined ? Number.POSITIVE_INFINITY : Date.parse(now) - Date.parse(latest.verified_at)
  if (ageMs >= 0 && ageMs < servesForMs) {
    fail('rate_limited', { message: 'The audit log was verified less than ten minutes ago. Try again later.' })
  }
  await requestVerification(tx, organizationId)
}

/** Has the logs of all organizations walked along. */
export async function requestVerifications(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const organizations = await tx.selectFrom('organizations').select('id').execute()
    for (const { id } of organizations) await requestVerification(tx, id)
  })
}

/** What the latest walk has found, if there was one. */
export const findVerification = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('audit_verifications')
    .select(['verified_at', 'entries_count', 'last_id', 'fault', 'faulty_id'])
    .where(inOrganization('audit_verifications', organizationId))
    .executeTakeFirst()
