import type { Cause } from '../change-context.ts'

type CheckOfOrganization = { organizationId: string; checkId: string }

/** The cause of what a job changes. Undefined where an earlier version queued it, or an import knows of none. */
export type QueuedCause = { [Name in keyof Cause]: Cause[Name] | undefined }

/** What each job is queued with. What is scheduled instead takes nothing. */
export type JobData = {
  'recompute-check': CheckOfOrganization & QueuedCause
  'hold-earlier-blocks': { organizationId: string; holdId: string } & QueuedCause
  'remove-check': CheckOfOrganization & QueuedCause
  'verify-audit-log': { organizationId: string }
  'run-reporting-query': { organizationId: string; queryId: string }
}

export type JobName = keyof JobData
