import { computerTypes } from '@muster/contract/computer-types.ts'
import { runtimeSystems } from '@muster/contract/packages.ts'
import { tableProblemTypes } from '@muster/contract/reporting-tables.ts'
import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import { surveyKeys } from '../../access/api-keys/survey-keys.ts'
import { surveyDuplicates } from '../../access/scim/survey-duplicates.ts'
import { surveyCompanions } from '../../agents/companion-keys/survey-companions.ts'
import { listCompanionTypes } from '../../agents/packages/companion-platforms.ts'
import { listRuntimes } from '../../agents/packages/runtimes/runtime-queries.ts'
import type { Connection } from '../../base/db/connect.ts'
import { pendingMigrations } from '../../base/db/migrate.ts'
import { hasJobSchedules } from '../../base/jobs/job-schedules.ts'
import { isAddress } from '../../base/network-of.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { surveyOldAgents } from '../../compliance/results/survey-old-agents.ts'
import { readBackgroundStatus } from '../../health/worker-heartbeats.ts'
import { describeRefusedWrites } from '../../health/write-access.ts'
import { surveyIdentities } from '../../inventory/devices/survey-identities.ts'
import { surveyProblems } from '../../reporting/problems/survey-problems.ts'
import { listOverdueSessions } from '../../reporting/sandbox/overdue-sessions.ts'
import { readSandboxPrivileges } from '../../reporting/sandbox/sandbox-privileges.ts'
import { surveyStreams } from '../../signals/streams/survey-streams.ts'
import { surveyEndpoints } from '../../signals/webhooks/survey-endpoints.ts'

const streamSurvey = Type.Object({
  count: Type.Integer(),
  failingCount: Type.Integer(),
  failing: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), since: Type.String(), error: Type.String() }),
  ),
  withoutToken: Type.Integer(),
  signingSince: Type.Union([Type.String(), Type.Null()]),
})

const endpointSurvey = Type.Object({
  count: Type.Integer(),
  troubledCount: Type.Integer(),
  troubled: Type.Array(
    Type.Object({
      id: Type.String(),
      host: Type.String(),
      trouble: Type.Enum(['failing', 'disabled_failing', 'disabled_gone']),
      since: Type.String(),
      error: Type.String(),
    }),
  ),
})

const identitySurvey = Type.Object({
  count: Type.Integer(),
  listed: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      organization: Type.String(),
      doubt: Type.Enum(['suspended', 'conflict']),
      since: Type.String(),
    }),
  ),
})

const duplicateSurvey = Type.Object({
  count: Type.Integer(),
  listed: Type.Array(
    Type.Object({
      kind: Type.Enum(['person', 'administrator', 'SCIM user', 'SCIM group']),
      id: Type.String(),
      name: Type.String(),
      organization: Type.String(),
    }),
  ),
})

const companionSurvey = Type.Object({
  counts: Type.Object({
    computers: Type.Integer(),
    linked: Type.Integer(),
    linking: Type.Integer(),
    none: Type.Integer(),
    seen_twice: Type.Integer(),
    without_device: Type.Integer(),
    by_type: Type.Array(
      Type.Object({ device_type: Type.Enum([...computerTypes]), computers: Type.Integer(), none: Type.Integer() }),
    ),
  }),
  seenTwiceCount: Type.Integer(),
  seenTwice: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), organization: Type.String(), at: Type.String() }),
  ),
  withoutPortCount: Type.Integer(),
  withoutPort: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      organization: Type.String(),
      takenPorts: Type.Array(Type.Integer()),
    }),
  ),
})

const runtimeSurvey = Type.Array(
  Type.Object({
    system: Type.Enum([...runtimeSystems]),
    node_version: Type.String(),
    source: Type.Enum(['npm', 'file']),
    packed_size: Type.Integer(),
  }),
)

const oldAgentSurvey = Type.Array(
  Type.Object({ version: Type.String(), checks: Type.Integer(), devices: Type.Integer() }),
)

const tableProblemSurvey = Type.Array(
  Type.Object({ table: Type.String(), type: Type.Enum([...tableProblemTypes]), devices: Type.Integer() }),
)

const keySurvey = Type.Object({
  count: Type.Integer(),
  toReview: Type.Integer(),
  expired: Type.Integer(),
  expiring: Type.Integer(),
})

export const databaseFacts = Type.Object({
  engine: Type.String(),
  /** As the server gives it: 150008 is 15.8. */
  versionNumber: Type.Integer(),
  /** ISO 8601; the database's clock. */
  clock: Type.String(),
  pending: Type.Array(Type.String()),
  /** Of the master key that the database belongs to, once it has one. */
  fingerprint: Type.Optional(Type.String()),
  encoding: Type.String(),
  /** Whether the trigger that refuses changes of the audit log is on; once the migrations are applied. */
  isAuditGuarded: Type.Optional(Type.Boolean()),
  /** Why the database refuses writes, where it does. */
  refusedWrites: Type.Optional(Type.String()),
  background: Type.Optional(
    Type.Object({ workers: Type.Integer(), silentForSeconds: Type.Union([Type.Number(), Type.Null()]) }),
  ),
  /** Whether any worker has ever started here. */
  hasWorked: Type.Optional(Type.Boolean()),
  hasReportRole: Type.Optional(Type.Boolean()),
  /** Sessions of reporting queries that PostgreSQL has not ended. */
  overdueReports: Type.Optional(
    Type.Array(
      Type.Object({
        process: Type.Integer(),
        organizationId: Type.String(),
        queryId: Type.String(),
        seconds: Type.Integer(),
      }),
    ),
  ),
  /** Once the migrations are applied. */
  streams: Type.Optional(streamSurvey),
  webhooks: Type.Optional(endpointSurvey),
  identities: Type.Optional(identitySurvey),
  keys: Type.Optional(keySurvey),
  duplicates: Type.Optional(duplicateSurvey),
  companions: Type.Optional(companionSurvey),
  /** The platforms that this server makes a companion for. */
  companionTypes: Type.Optional(Type.Array(Type.Enum([...computerTypes]))),
  /** The Node that packages for other systems bring. */
  runtimes: Type.Optional(runtimeSurvey),
  oldAgents: Type.Optional(oldAgentSurvey),
  tableProblems: Type.Optional(tableProblemSurvey),
  /** Whether a proxy has passed on, within a day, what is no address of an administrator. */
  hasOddAddresses: Type.Optional(Type.Boolean()),
})
export type DatabaseFacts = Static<typeof databaseFacts>

/** Changes nothing but what it writes to see whether it can. Rejects when the database is newer than this version or its migrations were altered. */
export async function readDatabaseFacts(connection: Connection): Promise<DatabaseFacts> {
  const { rows } = await sql<{ version_number: number; clock: string; encoding: string; has_installation: boolean }>`
    select current_setting('server_version_num')::integer as version_number, clock_timestamp() as clock,
      current_setting('server_encoding') as encoding, to_regclass('installation') is not null as has_installation`.execute(
    connection.db,
  )
  const [row] = rows
  if (!row) throw new Error('The database did not answer')
  const installation = row.has_installation
    ? await connection.db.selectFrom('installation').select('master_key_fingerprint').executeTakeFirst()
    : undefined
  const pending = await pendingMigrations(connection)
  const refusedWrites = pending.length === 0 ? await describeRefusedWrites(connection.db) : undefined
  return {
    engine: connection.engine,
    versionNumber: row.version_number,
    clock: row.clock,
    encoding: row.encoding,
    pending,
    hasReportRole: (await readSandboxPrivileges(connection.db)).hasReportRole,
    ...(connection.engine === 'postgres' && { overdueReports: await listOverdueSessions(connection.db) }),
    ...(refusedWrites !== undefined && { refusedWrites }),
    ...(pending.length === 0 && {
      isAuditGuarded: await isAuditGuarded(connection),
      background: await readBackgroundStatus(connection.db),
      hasWorked: await hasJobSchedules(connection.db),
      streams: await surveyStreams(connection.db, row.clock),
      webhooks: await surveyEndpoints(connection.db),
      identities: await surveyIdentities(connection.db),
      keys: await surveyKeys(connection.db, row.clock),
      duplicates: await surveyDuplicates(connection.db),
      companions: await surveyCompanions(connection.db, row.clock),
      companionTypes: await listCompanionTypes(connection.db),
      runtimes: await listRuntimes(connection.db),
      oldAgents: await surveyOldAgents(connection.db),
      tableProblems: await surveyProblems(connection.db),
      hasOddAddresses: await hasOddAddresses(connection, row.clock),
    }),
    ...(installation && { fingerprint: installation.master_key_fingerprint }),
  }
}

async function hasOddAddresses({ db }: Connection, now: string): Promise<boolean> {
  const sessions = await db
    .selectFrom('admin_sessions')
    .select('ip_address')
    .where('last_seen_at', '>', plusMs(now, -dayMs))
    .orderBy('last_seen_at', 'desc')
    .limit(1_000)
    .execute()
  return sessions.some(({ ip_address: address }) => !isAddress(address))
}

async function isAuditGuarded({ db }: Connection): Promise<boolean> {
  const { rows } = await sql<{ isOn: boolean }>`
    select count(*) = 2 as "isOn" from pg_trigger where tgrelid = 'audit_logs'::regclass
      and tgname in ('audit_logs_append_only', 'audit_logs_no_truncate') and tgenabled in ('O', 'A')`.execute(db)
  return rows[0]?.isOn === true
}
