import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeOverdueReports, judgeReportRole } from './judge-reports.ts'

test('a missing role is a fault, with the command that makes it', () => {
  assert.deepEqual(judgeReportRole({ hasReportRole: true }).state, 'ok')
  const finding = judgeReportRole({ hasReportRole: false })
  assert.equal(finding.state, 'failed')
  assert.match(finding.detail, /role muster_reports is missing: run `muster reports create-role`$/)
})

test('a session past its limits is named by its process and its query', () => {
  assert.deepEqual(judgeOverdueReports({}), [])
  const [run, tried] = judgeOverdueReports({
    overdueReports: [
      { process: 4_711, organizationId: '2', queryId: '7', seconds: 95 },
      { process: 4_712, organizationId: '2', queryId: '-', seconds: 61 },
    ],
  })
  assert.equal(run?.state, 'failed')
  assert.match(
    run?.detail ?? '',
    /process 4711 has been computing the query 7 of the organization 2 for 95 s.*pg_terminate_backend\(4711\)/,
  )
  assert.match(tried?.detail ?? '', /process 4712 has been computing a query that was only tried/)
})
