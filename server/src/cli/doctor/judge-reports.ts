import type { DatabaseFacts } from './database-facts.ts'
import { type Finding, failed, ok } from './finding.ts'

export function judgeReportRole({ hasReportRole }: Pick<DatabaseFacts, 'hasReportRole'>): Finding {
  if (hasReportRole) return ok('reporting queries', 'run as the role muster_reports')
  return failed(
    'reporting queries',
    'do not run, because the role muster_reports is missing: run `muster reports create-role`',
  )
}

export function judgeOverdueReports({ overdueReports = [] }: Pick<DatabaseFacts, 'overdueReports'>): Finding[] {
  return overdueReports.map(({ process, organizationId, queryId, seconds }) => {
    const query = queryId === '-' ? 'a query that was only tried' : `the query ${queryId}`
    return failed(
      'reporting session',
      `PostgreSQL's process ${process} has been computing ${query} of the organization ${organizationId} for ${seconds} s, past its limits: end it with \`select pg_terminate_backend(${process})\`, or else restart PostgreSQL`,
    )
  })
}
