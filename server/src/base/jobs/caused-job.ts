import type { Logger } from 'pino'
import type { Cause, ChangeOrigin, Initiator } from '../change-context.ts'
import type { Clock } from '../clock.ts'
import type { JobData, JobName } from './job-data.ts'
import type { Job, JobHandler } from './start-jobs.ts'

/** Those that change something. */
type CausedName = { [Name in JobName]: JobData[Name] extends { cause: unknown } ? Name : never }[JobName]

type Work<Data> = (data: Data, context: () => ChangeOrigin, signal: AbortSignal) => Promise<readonly string[]>

type Parts<Name> = { name: Name; initiator: Initiator; clock: Clock; log: Logger }

/**
 * A handler whose changes have the cause that the job was queued with: a job begins none. One without a cause has its own id for
 * all that it changes, in every try of it, and the log says so. `work` resolves to the causes that it has worked through
 * beside that, as later changes may have come into it.
 */
export function causedJob<Name extends CausedName>(
  { name, initiator, clock, log }: Parts<Name>,
  work: Work<JobData[Name]>,
): JobHandler<JobData[Name]> {
  return async (job, signal) => {
    const startedAt = performance.now()
    const cause = causeOf(job)
    const line = lineOf(name, cause, job.data)
    if (job.data.cause === undefined) log.warn(line, 'Muster does not know which change caused this job')
    const causes = await work(job.data, () => ({ ...cause, initiator, now: clock() }), signal)
    if (signal.aborted) return
    const later = causes.filter((one) => one !== cause.cause)
    const duration_ms = Math.round(performance.now() - startedAt)
    log.info({ ...line, ...(later.length > 0 && { other_causes: later }), duration_ms }, 'job')
  }
}

const causeOf = ({ id, data }: Job<JobData[CausedName]>): Cause => ({
  cause: data.cause ?? id,
  requestId: data.requestId ?? null,
})

/** By the names that the lines of requests have. */
function lineOf(job: JobName, { cause, requestId }: Cause, data: JobData[CausedName]) {
  const about = 'holdId' in data ? { hold_id: data.holdId } : { check_id: data.checkId }
  return { job, cause, request_id: requestId, organization_id: data.organizationId, ...about }
}
