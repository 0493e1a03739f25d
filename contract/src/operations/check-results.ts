import { ExternalCheckRun, ExternalCheckRunRequest } from '../external-check-runs.ts'
import { defineOperations, json } from './define-operations.ts'

export const checkResultOperations = defineOperations({
  runExternalCheck: json({
    method: 'POST',
    path: '/checks/:checkId/runs',
    permission: 'run_external_checks',
    summary: 'Report a result of an external check',
    description:
      'For a device, or for a person: then for each of their registered devices that the check targets. ' +
      'At most 500 rows; the open issues of the check change with them as with any result.',
    tag: 'Checks',
    body: ExternalCheckRunRequest,
    answer: ExternalCheckRun,
  }),
})
