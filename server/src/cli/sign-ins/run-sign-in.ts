import { sql } from 'kysely'
import { ulid } from 'ulid'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { finishSession } from '../../sign-in/auth-logs/finish-session.ts'
import { recognizeDevice } from '../../sign-in/auth-logs/recognize-device.ts'
import { recordEvent } from '../../sign-in/auth-logs/record-event.ts'
import { showIssues } from '../../sign-in/auth-logs/show-issues.ts'
import { startSession } from '../../sign-in/auth-logs/start-session.ts'
import type { Candidate, SignInPlan } from './plan-sign-in.ts'

/** Does what a plan says with the commands of real sign-ins; returns whether the person got in. */
export async function runSignIn(
  tx: Tx,
  organizationId: string,
  { personId, device }: Candidate,
  { session, steps }: SignInPlan,
): Promise<boolean> {
  const authLogId = await startSession(tx, { ...session, organizationId, personId })
  let isFinished = false
  for (const step of steps) {
    const at = { organizationId, authLogId, now: step.at }
    if (step.kind === 'event') await recordEvent(tx, { ...at, type: step.type, description: step.description })
    else if (step.kind === 'finish') isFinished = await finishSession(tx, at, { cause: ulid(), now: step.at })
    else if (device && step.kind === 'recognize') await recognizeDevice(tx, { ...at, deviceId: device.id })
    else if (device) await showIssues(tx, { ...at, issueIds: await openIssuesOf(tx, organizationId, device.id) })
  }
  return isFinished
}

async function openIssuesOf(tx: Tx, organizationId: string, deviceId: string): Promise<string[]> {
  const issues = await tx
    .selectFrom('issues')
    .select('id')
    .where(inOrganization('issues', organizationId))
    .where('device_id', '=', deviceId)
    .where('resolved_at', 'is', null)
    .orderBy('id')
    .limit(sql.lit(100))
    .execute()
  return issues.map(({ id }) => id)
}
