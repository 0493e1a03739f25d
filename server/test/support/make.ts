import { randomUUID } from 'node:crypto'
import type { Insertable, Selectable } from 'kysely'
import { type ChangeOrigin, newCause, systemChange } from '../../src/base/change-context.ts'
import type { Database } from '../../src/base/db/schema.ts'
import { type Db, transact } from '../../src/base/db/transact.ts'
import type { CheckRun } from '../../src/compliance/results/record-results.ts'
import type { CheckRow } from '../../src/compliance/standing/rules.ts'
import { retarget, targetedChecks } from '../../src/compliance/targeting/retarget.ts'
import { lockDevices } from '../../src/inventory/devices/lock-device.ts'
import { settleAuthStates } from '../../src/inventory/devices/settle-auth-state.ts'
import { checkSql } from '../../src/live-queries/check-sql.ts'
import { createCampaign } from '../../src/live-queries/create-campaign.ts'
import { storeRun } from '../../src/reporting/queries/store-run.ts'
import { boundRow } from '../../src/reporting/sandbox/report-row.ts'
import { complianceChangeType } from '../../src/signals/streams/event-types.ts'
import { noteTokenSettings } from '../../src/signals/streams/token-settings.ts'
import { recordResults } from './record-results.ts'

/** When everything is made that is not told otherwise. */
export const startOfTests = '2026-11-20T10:00:00.000Z'

type Row<Table extends keyof Database> = Selectable<Database[Table]>
type Columns<Table extends keyof Database> = Partial<Omit<Insertable<Database[Table]>, 'organization_id'>>

export const contextAt = (now = startOfTests): ChangeOrigin => ({ ...newCause(), initiator: 'policy', now })

export type MadeCheck = Row<'checks'> & { configuration: Row<'check_configurations'> }

type ReportedResult = {
  device: Pick<Row<'devices'>, 'organization_id' | 'id'>
  check: Pick<MadeCheck, 'id' | 'type'>
  /** A status makes one row of it. */
  rows: readonly CheckRow[] | 'PASS' | 'FAIL' | 'UNKNOWN' | 'INAPPLICABLE' | 'ERROR'
  at?: string
}

type Asked = { device: Pick<Row<'devices'>, 'organization_id' | 'id'>; person: Pick<Row<'people'>, 'id'> }

const asked = (of: Asked['device'], by: Asked['person']) => ({
  organization_id: of.organization_id,
  device_id: of.id,
  person_id: by.id,
  requester_message: 'Please.',
  requested_at: startOfTests,
})

const decidedUnless = ({ status }: { status?: string | undefined }, waiting: string) =>
  status === undefined || status === waiting ? {} : { decided_at: startOfTests }
type NewLiveQuery = { deviceIds: readonly string[]; sql?: string; name?: string; at?: string }

/**
 * Builders of rows, by column names: a test sets what it is about. A device is targeted by the checks that are there,
 * and a check targets the devices that are there, as in the product.
 */
export function makeIn(database: { readonly db: Db }) {
  let made = 0
  function next(): string {
    made += 1
    return String(made)
  }

  /** Without reporting, unless a test asks for it: so its devices are asked nothing but their checks. */
  async function organization(columns: Partial<Insertable<Database['organizations']>> = {}) {
    return database.db
      .insertInto('organizations')
      .values({
        name: `Organization ${next()}`,
        created_at: startOfTests,
        disabled_features: ['reporting'],
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  async function person(organizationId: string, columns: Columns<'people'> = {}) {
    const number = next()
    const defaults = { name: `Person ${number}`, email: `person${number}@acme.example`, created_at: startOfTests }
    return database.db
      .insertInto('people')
      .values({ organization_id: organizationId, ...defaults, ...columns })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  async function personGroup(
    organizationId: string,
    { personIds = [], ...columns }: Columns<'person_groups'> & { personIds?: readonly string[] } = {},
  ) {
    const group = await database.db
      .insertInto('person_groups')
      .values({ organization_id: organizationId, name: `People ${next()}`, created_at: startOfTests, ...columns })
      .returningAll()
      .executeTakeFirstOrThrow()
    const members = personIds.map((id) => ({
      organization_id: organizationId,
      person_group_id: group.id,
      person_id: id,
    }))
    if (members.length > 0) await database.db.insertInto('person_group_members').values(members).execute()
    return group
  }

  /** Members come with `device`. */
  async function deviceGroup(organizationId: string, columns: Columns<'device_groups'> = {}) {
    return database.db
      .insertInto('device_groups')
      .values({
        organization_id: organizationId,
        name: `Devices ${next()}`,
        description: null,
        created_at: startOfTests,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  /** A Mac that belongs to nobody; `registered_owner_id` alone registers it at the start of the tests. */
  async function device(
    organizationId: string,
    { groupIds = [], ...columns }: Columns<'devices'> & { groupIds?: readonly string[] } = {},
  ): Promise<Row<'devices'>> {
    const owned = columns.registered_owner_id ? { registered_at: startOfTests } : {}
    const row = await database.db
      .insertInto('devices')
      .values({
        organization_id: organizationId,
        name: `Device ${next()}`,
        device_type: 'Mac',
        form_factor: 'computer',
        created_at: startOfTests,
        ...owned,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    for (const groupId of groupIds) await join(row, groupId)
    await target(organizationId, [row.id])
    return row
  }

  /** An enabled endpoint for webhooks, with its standing. */
  async function webhookEndpoint(
    organizationId: string,
    columns: Columns<'webhook_endpoints'> = {},
  ): Promise<Row<'webhook_endpoints'>> {
    const row = await database.db
      .insertInto('webhook_endpoints')
      .values({
        organization_id: organizationId,
        identifier: randomUUID(),
        url: 'https://receiver.example.com/hooks',
        events: ['device_trust.status_changed'],
        sealed_secret: Buffer.alloc(0),
        created_at: startOfTests,
        updated_at: startOfTests,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await database.db
      .insertInto('webhook_standings')
      .values({ organization_id: organizationId, endpoint_id: row.id })
      .execute()
    return row
  }

  /** A poll stream of the standard layout; one with an `endpoint_url` is a push stream. */
  async function stream(organizationId: string, columns: Columns<'ssf_streams'> = {}): Promise<Row<'ssf_streams'>> {
    const row = await database.db
      .insertInto('ssf_streams')
      .values({
        organization_id: organizationId,
        stream_id: randomUUID(),
        name: `Receiver ${next()}`,
        spec_version: 'v1_0',
        delivery_type: columns.endpoint_url ? 'push' : 'poll',
        audience: columns.endpoint_url ?? null,
        events_requested: [complianceChangeType],
        created_at: startOfTests,
        updated_at: startOfTests,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await database.db
      .insertInto('ssf_stream_deliveries')
      .values({ organization_id: organizationId, stream_id: row.id })
      .execute()
    await transact(database.db, (tx) =>
      noteTokenSettings(tx, { organizationId, streamId: row.id }, 'https://muster.test'),
    )
    return database.db.selectFrom('ssf_streams').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow()
  }

  async function join({ organization_id, id }: Row<'devices'>, groupId: string): Promise<void> {
    await database.db
      .insertInto('device_group_members')
      .values({ organization_id, device_group_id: groupId, device_id: id })
      .execute()
    await database.db
      .updateTable('device_groups')
      .set((group) => ({ members_count: group('members_count', '+', 1) }))
      .where('organization_id', '=', organization_id)
      .where('id', '=', groupId)
      .execute()
  }

  /** A report-only osquery check for every computer; `type: 'external'` needs no SQL. */
  async function check(
    organizationId: string,
    { configuration = {}, ...columns }: Columns<'checks'> & { configuration?: Columns<'check_configurations'> } = {},
  ): Promise<MadeCheck> {
    const number = next()
    const row = await database.db
      .insertInto('checks')
      .values({
        organization_id: organizationId,
        slug: `check-${number}`,
        name: `Check ${number}`,
        type: 'osquery',
        is_provided: true,
        platforms: ['darwin', 'windows', 'linux'],
        description: 'A check of the tests.',
        sql_template: columns.type === 'external' ? null : `select 'PASS' as KOLIDE_CHECK_STATUS`,
        primary_key_column: null,
        issue_title: `Issue of check ${number}`,
        rationale_template: 'Because.',
        fix_instructions_template: 'Fix it.',
        created_at: startOfTests,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const stored = await database.db
      .insertInto('check_configurations')
      .values({ organization_id: organizationId, check_id: row.id, updated_at: startOfTests, ...configuration })
      .returningAll()
      .executeTakeFirstOrThrow()
    await target(organizationId)
    return { ...row, configuration: stored }
  }

  /** A draft of an osquery check that could be published. */
  async function draft(organizationId: string, columns: Columns<'custom_check_drafts'> = {}) {
    const number = next()
    return database.db
      .insertInto('custom_check_drafts')
      .values({
        organization_id: organizationId,
        slug: `draft-${number}`,
        name: `Draft ${number}`,
        description: 'A draft of the tests.',
        check_type: 'osquery',
        target_type: 'devices',
        platforms: ['darwin'],
        interval_seconds: 3_600,
        osquery_sql: `select 'PASS' as KOLIDE_CHECK_STATUS`,
        option_definitions: '{}',
        requires_primary_key: false,
        primary_key_column: '',
        issue_title: `Issue of draft ${number}`,
        rationale_template: 'Because.',
        fix_instructions_template: 'Fix it.',
        template_data_examples: '[]',
        privacy_info: 'Nothing about people.',
        privacy_center_example_data: '[]',
        osquery_sql_status: 'good',
        notification_templates_status: 'good',
        details_status: 'good',
        privacy_center_details_status: 'good',
        created_at: startOfTests,
        updated_at: startOfTests,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  /** Brings results and states of devices, of all unless named, in line with the checks. */
  async function target(organizationId: string, deviceIds?: readonly string[], now = startOfTests): Promise<void> {
    const ids = deviceIds ?? (await idsOfDevices(organizationId))
    await transact(database.db, async (tx) => {
      const devices = await lockDevices(tx, organizationId, ids)
      const context = contextAt(now)
      await retarget(tx, devices, await targetedChecks(tx, organizationId), context)
      await settleAuthStates(tx, devices, context)
    })
  }

  async function idsOfDevices(organizationId: string): Promise<string[]> {
    const rows = await database.db
      .selectFrom('devices')
      .select('id')
      .where('organization_id', '=', organizationId)
      .execute()
    return rows.map(({ id }) => id)
  }

  /** What an agent, or someone outside, reports of a check on a device. A later result needs a later `at`. */
  async function result({ device: of, check: run, rows, at = startOfTests }: ReportedResult): Promise<CheckRun[]> {
    const { query_revision } = await database.db
      .selectFrom('check_configurations')
      .select('query_revision')
      .where('organization_id', '=', of.organization_id)
      .where('check_id', '=', run.id)
      .executeTakeFirstOrThrow()
    const reported = typeof rows === 'string' ? [{ KOLIDE_CHECK_STATUS: rows }] : rows
    const checkRun: CheckRun = {
      checkId: run.id,
      queryRevision: run.type === 'external' ? null : query_revision,
      ranAt: at,
      outcome: { kind: 'rows', rows: reported },
    }
    const deviceRuns = { organizationId: of.organization_id, deviceId: of.id, runs: [checkRun] }
    return recordResults(database.db, deviceRuns, contextAt(at))
  }

  /** The open issue of a failing single-row check. */
  async function issue({ device: of, check: failing, at }: Omit<ReportedResult, 'rows'>): Promise<Row<'issues'>> {
    await result({ device: of, check: failing, rows: 'FAIL', ...(at === undefined ? {} : { at }) })
    return database.db
      .selectFrom('issues')
      .selectAll()
      .where('organization_id', '=', of.organization_id)
      .where('device_id', '=', of.id)
      .where('check_id', '=', failing.id)
      .where('resolved_at', 'is', null)
      .executeTakeFirstOrThrow()
  }

  /** A sign-in of nobody that failed long ago. */
  async function authLog(organizationId: string, columns: Columns<'auth_logs'> = {}): Promise<Row<'auth_logs'>> {
    return database.db
      .insertInto('auth_logs')
      .values({
        organization_id: organizationId,
        started_at: startOfTests,
        initial_status: 'unknown',
        person_name: '',
        person_email: '',
        ip_address: '192.0.2.7',
        browser_name: 'Firefox',
        browser_version: '145.0',
        browser_user_agent: 'Mozilla/5.0',
        application_id: '',
        application_name: '',
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  async function adminUser(organizationId: string, columns: Columns<'admin_users'> = {}): Promise<Row<'admin_users'>> {
    const number = next()
    return database.db
      .insertInto('admin_users')
      .values({
        organization_id: organizationId,
        first_name: 'Admin',
        last_name: number,
        email: `admin${number}@acme.example`,
        access: 'full',
        created_at: startOfTests,
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  /** An open request of a person for the exemption of issues of a device. */
  async function exemptionRequest(
    { device: of, person: by, issues }: Asked & { issues: readonly Pick<Row<'issues'>, 'id'>[] },
    columns: Columns<'exemption_requests'> = {},
  ): Promise<Row<'exemption_requests'>> {
    const { organization_id } = of
    const request = await database.db
      .insertInto('exemption_requests')
      .values({ ...asked(of, by), ...decidedUnless(columns, 'open'), ...columns })
      .returningAll()
      .executeTakeFirstOrThrow()
    const covered = issues.map(({ id }) => ({ organization_id, exemption_request_id: request.id, issue_id: id }))
    if (covered.length > 0) await database.db.insertInto('exemption_request_issues').values(covered).execute()
    return request
  }

  /** A pending request of a person for the registration of a device. */
  async function registrationRequest(
    { device: of, person: by }: Asked,
    columns: Columns<'registration_requests'> = {},
  ): Promise<Row<'registration_requests'>> {
    return database.db
      .insertInto('registration_requests')
      .values({ ...asked(of, by), ...decidedUnless(columns, 'pending'), ...columns })
      .returningAll()
      .executeTakeFirstOrThrow()
  }

  /** A live query that waits for the devices. */
  async function liveQuery(
    organizationId: string,
    { deviceIds, sql = 'select pid from processes', name = `Live query ${next()}`, at = startOfTests }: NewLiveQuery,
  ): Promise<string> {
    const targets = { deviceIds, platforms: [] }
    const tablesUsed = checkSql(sql, [])
    const campaign = { name, sql, tablesUsed, targets, namedDeviceIds: deviceIds }
    return transact(database.db, (tx) => createCampaign(tx, campaign, systemChange(organizationId, at)))
  }

  /** A reporting query over nothing; rows make it one that has run. */
  async function reportingQuery(
    organizationId: string,
    { rows, ...columns }: Columns<'reporting_queries'> & { rows?: readonly Record<string, unknown>[] } = {},
  ): Promise<Row<'reporting_queries'>> {
    const query = await database.db
      .insertInto('reporting_queries')
      .values({
        organization_id: organizationId,
        name: `Query ${next()}`,
        sql: 'select 1 as one',
        created_at: startOfTests,
        next_run_at: '2026-11-21T10:00:00.000Z',
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    if (!rows) return query
    const outcome = {
      columns: Object.keys(rows[0] ?? {}),
      rows: rows.map((row) => boundRow(JSON.stringify(row))),
      isTruncated: false,
    }
    const run = { organizationId, queryId: query.id, revision: query.revision, outcome, startedAt: startOfTests }
    await transact(database.db, (tx) => storeRun(tx, run))
    return query
  }

  return {
    stream,
    webhookEndpoint,
    ...{ organization, person, personGroup, deviceGroup, device, check, draft, target, result, issue },
    ...{ exemptionRequest, registrationRequest, authLog, adminUser, liveQuery, reportingQuery },
  }
}
