import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import { readMessage } from './decision-rules.ts'
import { describeIssues, describePerson } from './describe-request.ts'
import { listCoveredIssues } from './exemption-queries.ts'

type ExemptionAsked = { deviceId: string; personId: string; issueIds: readonly string[]; message: string }

export const maxIssues = 100

/**
 * Asks on behalf of a device's owner that open issues of it be exempted, and returns the request's identifier. Fails
 * with not_found, not_device_owner, exemptions_disallowed, already_requested, or invalid for the message or for issues
 * that are not open on the device or are exempted already, naming their places.
 */
export async function raiseExemptionRequest(tx: Tx, asked: ExemptionAsked, context: ChangeContext): Promise<string> {
  const { organizationId } = context
  const { deviceId, personId } = asked
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const person = orNotFound(await lockPerson(tx, organizationId, personId))
  if (device.registered_owner_id !== personId) fail('not_device_owner')
  const message = readMessage(asked.message)
  if ('errors' in message) return fail('invalid', { errors: message.errors })
  const issueIds = [...new Set(asked.issueIds)]
  await refuseUnfitIssues(tx, device, issueIds)
  const id = await insert(tx, { organizationId, deviceId, personId, message: message.ok }, issueIds, context.now)
  await announce(tx, [
    {
      type: 'requests.issue_exemption',
      organizationId,
      deviceId,
      deviceName: device.name,
      requestId: id,
      personId,
      personEmail: person.email,
      message: message.ok,
      issueIds,
      cause: context.cause,
      at: context.now,
    },
  ])
  await recordAudit(
    tx,
    {
      action: 'exemption_request.created',
      about: { device: deviceId, person: personId },
      description: `Asked for ${describePerson(person)} that ${describeIssues(issueIds)} of the device "${device.name}" be exempted: "${message.ok}".`,
    },
    context,
  )
  return id
}

/** Another organization's issue is refused in the same words as one that never was. */
async function refuseUnfitIssues(tx: Tx, device: LockedDevice, issueIds: readonly string[]): Promise<void> {
  if (issueIds.length === 0 || issueIds.length > maxIssues) {
    fail('invalid', { errors: [{ field: 'issue_ids', message: `must name 1 to ${maxIssues} issues` }] })
  }
  const issues = await tx
    .selectFrom('issues')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
    .select(['issues.id', 'configuration.exemptions_disallowed'])
    .where(inOrganization('issues', device.organization_id))
    .where('issues.id', '=', sql<string>`any(${issueIds}::bigint[])`)
    .where('issues.device_id', '=', device.id)
    .where('issues.resolved_at', 'is', null)
    .where('issues.exempted', '=', false)
    .execute()
  const fit = new Set(issues.map(({ id }) => id))
  const errors = issueIds.flatMap((id, index) =>
    fit.has(id) ? [] : [{ field: `issue_ids/${index}`, message: 'there is no such issue to exempt on the device' }],
  )
  if (errors.length > 0) fail('invalid', { errors })
  if (issues.some((issue) => issue.exemptions_disallowed)) fail('exemptions_disallowed')
  const covered = await listCoveredIssues(tx, device.organization_id, issueIds, { status: 'open' })
  if (covered.size > 0) fail('already_requested')
}

type New = { organizationId: string; deviceId: string; personId: string; message: string }

async function insert(
  tx: Tx,
  { organizationId, deviceId, personId, message }: New,
  issueIds: readonly string[],
  now: string,
): Promise<string> {
  const { id } = await tx
    .insertInto('exemption_requests')
    .values({
      organization_id: organizationId,
      device_id: deviceId,
      person_id: personId,
      requester_message: message,
      requested_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('exemption_request_issues')
    .values(
      issueIds.map((issueId) => ({ organization_id: organizationId, exemption_request_id: id, issue_id: issueId })),
    )
    .execute()
  return id
}
