type CheckOfOrganization = { organizationId: string; checkId: string }

/** What each job is queued with. What is scheduled instead takes nothing. */
export type JobData = {
  'recompute-check': CheckOfOrganization
  'hold-earlier-blocks': { organizationId: string; holdId: string }
  'remove-check': CheckOfOrganization
  'verify-audit-log': { organizationId: string }
  'run-reporting-query': { organizationId: string; queryId: string }
}

export type JobName = keyof JobData
