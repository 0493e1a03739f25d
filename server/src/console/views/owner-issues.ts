import type { OwnerIssues } from '@muster/contract/console-issues.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { giveTurns } from '../../base/jobs/give-turns.ts'
import { listTextParts } from '../../compliance/issues/owner-text-queries.ts'
import { ownerTextsOf } from '../../compliance/issues/owner-texts.ts'
import { TextAllowance } from '../../compliance/templates/render-text.ts'

const maxOfDevice = 10

/**
 * What owners read about their issues at sign-in, device by device in the order that was asked for. The texts are left out
 * where those before have taken what one request may render.
 */
export async function listOwnerIssues(
  reader: Reader,
  organizationId: string,
  deviceIds: readonly string[],
): Promise<OwnerIssues> {
  const rows = await listToldIssues(reader, organizationId, deviceIds)
  const ofDevice = Map.groupBy(rows, (row) => row.device_id)
  const inOrder = deviceIds.flatMap((deviceId) => ofDevice.get(deviceId) ?? [])
  const parts = await listTextParts(
    reader,
    organizationId,
    inOrder.map(({ id }) => id),
  )
  const partsOf = new Map(parts.map((one) => [one.id, one]))
  const allowance = new TextAllowance()
  const giveTurn = giveTurns()
  const data: OwnerIssues['data'] = []
  for (const deviceId of deviceIds) {
    const [first, ...others] = ofDevice.get(deviceId) ?? []
    if (!first) continue
    const issues = [first, ...others].map((row) => describeToldIssue(row, partsOf.get(row.id), allowance))
    data.push({ email: first.owner_email, issues })
    await giveTurn()
  }
  return { data }
}

/** Open, not exempted, and of a check that notifies owners: the console decides the same of a row that it has. */
const listToldIssues = (reader: Reader, organizationId: string, deviceIds: readonly string[]) =>
  reader
    .selectFrom((build) =>
      build
        .selectFrom('issues')
        .innerJoin('devices', (join) =>
          join
            .onRef('devices.organization_id', '=', 'issues.organization_id')
            .onRef('devices.id', '=', 'issues.device_id'),
        )
        .innerJoin('people', (join) =>
          join
            .onRef('people.organization_id', '=', 'devices.organization_id')
            .onRef('people.id', '=', 'devices.registered_owner_id'),
        )
        .innerJoin('check_configurations as configuration', (join) =>
          join
            .onRef('configuration.organization_id', '=', 'issues.organization_id')
            .onRef('configuration.check_id', '=', 'issues.check_id'),
        )
        .select([
          ...(['issues.id', 'issues.title', 'issues.blocks_device_at', 'issues.device_id', 'issues.hold_id'] as const),
          ...(['devices.name as device_name', 'people.id as owner_id', 'people.name as owner_name'] as const),
          ...(['people.email as owner_email', 'configuration.remediation_strategy'] as const),
          sql<number>`row_number() over (
            partition by issues.device_id order by coalesce(issues.blocks_device_at, 'infinity'), issues.id
          )::int`.as('place'),
        ])
        .where(inOrganization('issues', organizationId))
        .where('issues.device_id', '=', sql<string>`any(${deviceIds}::bigint[])`)
        .where('issues.resolved_at', 'is', null)
        .where('issues.exempted', '=', false)
        .where('devices.deleted_at', 'is', null)
        .where('configuration.paused_at', 'is', null)
        .where('configuration.remediation_strategy', '<>', 'report_only')
        .as('told'),
    )
    .selectAll()
    .where('place', '<=', sql.lit(maxOfDevice))
    .orderBy('device_id')
    .orderBy('place')
    .execute()

type TextParts = Awaited<ReturnType<typeof listTextParts>>[number]
type ToldIssue = Awaited<ReturnType<typeof listToldIssues>>[number]

function describeToldIssue(row: ToldIssue, parts: TextParts | undefined, allowance: TextAllowance) {
  return {
    id: row.id,
    title: row.title,
    exempted: false,
    resolved_at: null,
    blocks_at: row.blocks_device_at,
    strategy: row.remediation_strategy,
    is_paused: false,
    is_held: row.hold_id !== null,
    device: { id: row.device_id, name: row.device_name },
    owner: { id: row.owner_id, name: row.owner_name },
    ...textsOf(parts, allowance),
  }
}

function textsOf(parts: TextParts | undefined, allowance: TextAllowance) {
  if (!parts || allowance.isSpent()) return { texts_left_out: true, rationale: null, fix_instructions: null }
  return { texts_left_out: false, ...ownerTextsOf(parts, [parts.value], allowance) }
}
