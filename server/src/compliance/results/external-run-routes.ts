import type { ExternalCheckRunRequest } from '@muster/contract/external-check-runs.ts'
import { checkResultOperations } from '@muster/contract/operations/check-results.ts'
import type { FastifyInstance } from 'fastify'
import { fail } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { type ReportSubject, runExternalCheck } from './run-external-check.ts'

export function externalRunRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...checkResultOperations.runExternalCheck,
    run: async ({ db, organizationId, params: { checkId }, body, context }) => {
      const subject = subjectOf(body)
      const report = { organizationId, checkId, subject, checkData: body.check_data }
      const { status, json, person } = await runExternalCheck(db, report, { ...context, initiator: 'policy' })
      return {
        check_id: checkId,
        device_id: subject.field === 'device_id' ? subject.deviceId : null,
        status,
        check_data: json,
        person_id: person?.id ?? null,
        person_name: person?.name ?? null,
        person_email: person?.email ?? null,
      }
    },
  })
}

const subjectFields = ['device_id', 'person_id', 'person_email'] as const

function subjectOf(body: ExternalCheckRunRequest): ReportSubject {
  const given = subjectFields.filter((field) => body[field] !== undefined)
  if (given.length !== 1) {
    const message = 'give exactly one of device_id, person_id and person_email'
    return fail('invalid', {
      errors: given.length === 0 ? [{ field: '', message }] : given.map((field) => ({ field, message })),
    })
  }
  const { device_id: deviceId, person_id: personId, person_email: email = '' } = body
  if (deviceId !== undefined) return { field: 'device_id', deviceId: identifierOf(deviceId) }
  if (personId !== undefined) return { field: 'person_id', personId: identifierOf(personId) }
  return { field: 'person_email', email }
}
