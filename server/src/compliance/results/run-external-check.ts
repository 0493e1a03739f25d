import type { CheckStatus } from '@muster/contract/external-check-runs.ts'
import type { ChangeOrigin } from '../../base/change-context.ts'
import type { Db, Reader } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { CheckRow } from '../standing/rules.ts'
import {
  findReportedCheck,
  findReportedPerson,
  listReportedDevices,
  type ReportedPerson,
} from './external-run-queries.ts'
import { readReportedRows, statusOfRows } from './external-run-rules.ts'
import { recordTogether } from './record-results.ts'
import { rememberRunTimes } from './run-times.ts'

/** What a report is about, by the field that names it. */
export type ReportSubject =
  | { field: 'device_id'; deviceId: string }
  | { field: 'person_id'; personId: string }
  | { field: 'person_email'; email: string }

export type ExternalReport = {
  organizationId: string
  checkId: string
  subject: ReportSubject
  /** A row, rows, or JSON text of either. */
  checkData: unknown
}

export type ExternalRun = {
  status: CheckStatus
  /** The rows as they were sent. */
  json: string
  /** Whom the report is about; undefined when it is about a device. */
  person: ReportedPerson
}

/**
 * Takes in a result of an external check for a device, or for each registered device of a person that the check
 * targets, a hundred of them in a transaction: a repeat of a broken request mends it. Fails with not_found for the
 * check, with check_not_external, and with invalid for what the report says wrong.
 */
export async function runExternalCheck(db: Db, report: ExternalReport, context: ChangeOrigin): Promise<ExternalRun> {
  const { organizationId, checkId, subject } = report
  const check = orNotFound(await findReportedCheck(db, organizationId, checkId))
  if (check.type !== 'external') fail('check_not_external')
  const reading = readReportedRows(report.checkData, check.primary_key_column)
  if ('errors' in reading) return fail('invalid', { errors: reading.errors })
  if (check.paused_at !== null) refuse('', 'the check is paused and takes no results')
  const { deviceIds, person } = await resolveSubject(db, report)
  const { rows, json } = reading.ok
  const isTaken = await recordOnDevices(db, report, deviceIds, rows, context)
  // Paused, or the target left, since the look above.
  if (!isTaken) refuse(subject.field, 'the check takes no result of this at the moment')
  return { status: statusOfRows(rows, check.primary_key_column), json, person }
}

function refuse(field: string, message: string): never {
  return fail('invalid', { errors: [{ field, message }] })
}

type Resolved = { deviceIds: string[]; person: ReportedPerson }

/** Another organization's device or person is refused in the same words as one that never was. */
async function resolveSubject(reader: Reader, { organizationId, checkId, subject }: ExternalReport): Promise<Resolved> {
  const { field } = subject
  if (field === 'device_id') {
    const { deviceId: id } = subject
    const [device] = await listReportedDevices(reader, organizationId, checkId, { id })
    if (!device) return refuse(field, 'there is no such device')
    if (!device.is_targeted) refuse(field, 'the check does not target this device')
    return { deviceIds: [id], person: undefined }
  }
  const by = field === 'person_id' ? { id: subject.personId } : { email: subject.email }
  const person = await findReportedPerson(reader, organizationId, by)
  if (!person) return refuse(field, 'id' in by ? 'there is no such person' : 'there is nobody with this address')
  const devices = await listReportedDevices(reader, organizationId, checkId, { ownerId: person.id })
  const targeted = devices.filter((device) => device.is_targeted)
  if (devices.length === 0) refuse(field, 'no device is registered to this person')
  if (targeted.length === 0) refuse(field, 'the check targets no device of this person')
  return { deviceIds: targeted.map(({ id }) => id), person }
}

const devicesTogether = 100

/** Whether any device took the result. */
async function recordOnDevices(
  db: Db,
  { organizationId, checkId }: ExternalReport,
  deviceIds: readonly string[],
  rows: readonly CheckRow[],
  context: ChangeOrigin,
): Promise<boolean> {
  const runs = [{ checkId, queryRevision: null, ranAt: context.now, outcome: { kind: 'rows' as const, rows } }]
  // A report that changes nothing leaves no more than the moment of it.
  const runTimes = rememberRunTimes()
  let isTaken = false
  for (let from = 0; from < deviceIds.length; from += devicesTogether) {
    const some = deviceIds.slice(from, from + devicesTogether)
    const recordings = some.map((deviceId) => ({ organizationId, deviceId, runs, context }))
    const accepted = await recordTogether(db, organizationId, recordings)
    for (const [place, deviceId] of some.entries()) {
      const taken = accepted[place] ?? []
      if (taken.length === 0) continue
      isTaken = true
      runTimes.note(organizationId, deviceId, taken)
    }
  }
  await runTimes.flush(db)
  return isTaken
}
