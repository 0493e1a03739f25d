import { type CountedStatus, countedStatuses } from '../../src/compliance/standing/rules.ts'
import { at, isExempted, type Model, type ModelDevice, type ModelIssue, type ModelResult } from './compliance-model.ts'
import { type Fleet, isoOf } from './fleet.ts'

type Observed = {
  devices: {
    state: string
    willBlockAt: string | null
    signalled: string | null
    owner: number | null
    isSuspended: boolean
    isDeleted: boolean
    results: string[]
    issues: string[]
    opened: number
  }[]
  tallies: Record<'counted' | CountedStatus, number>[]
  trustUsed: boolean[]
  exemptionRequests: string[]
  registrationRequests: string[]
}

const momentOf = (ms: number | null) => (ms === null ? 'never' : isoOf(ms))
const shownStatus = ({ status, exemption }: ModelResult) => (exemption === null ? status : 'out_of_scope')
const resultOf = (check: number, result: ModelResult) =>
  `${check} ${shownStatus(result)} until ${momentOf(result.exemption?.until ?? null)} snoozed ${momentOf(result.snoozedAt)}`

/** What the database should hold. */
export function expected(model: Model): Observed {
  const living = model.devices.filter((device) => !device.isDeleted)
  return {
    devices: model.devices.map((device) => ({
      state: device.state,
      willBlockAt: device.willBlockAt === null ? null : isoOf(device.willBlockAt),
      signalled: device.signalled,
      owner: device.owner,
      isSuspended: device.isSuspended,
      isDeleted: device.isDeleted,
      results: [...device.results].map(([check, result]) => resultOf(check, result)).sort(),
      issues: device.open.map((issue) => lineOf(device, issue)).sort(),
      opened: device.opened,
    })),
    tallies: [...model.checks.keys()].map((check) => {
      const results = living.flatMap((device) => device.results.get(check) ?? [])
      const statuses = results.map(shownStatus)
      const count = (wanted: string) => statuses.filter((status) => status === wanted).length
      return {
        counted: statuses.length - count('inapplicable') - count('out_of_scope'),
        ...countsBy(count),
      }
    }),
    trustUsed: model.trustUsed,
    exemptionRequests: model.exemptionRequests.map(({ status }) => status),
    registrationRequests: model.registrationRequests.map(({ status }) => status),
  }
}

const countsBy = (count: (status: CountedStatus) => number) =>
  Object.fromEntries(countedStatuses.map((status) => [status, count(status)])) as Record<CountedStatus, number>

const lineOf = (device: ModelDevice, issue: ModelIssue) =>
  `${issueOf(issue)}${isExempted(device, issue) ? ' exempted' : ''}`

const issueOf = ({ check, value, detectedAt, since, blocksAt }: ModelIssue) =>
  `${check}/${JSON.stringify(value)} ${isoOf(detectedAt)} since ${momentOf(since)} blocks ${momentOf(blocksAt)}`

/** What the database holds. */
export async function observe({ db, organizationId, devices, checks, people }: Fleet): Promise<Observed> {
  const rows = await db
    .selectFrom('devices')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  const results = await db
    .selectFrom('check_results')
    .select(['device_id', 'check_id', 'status', 'exemption_expires_at', 'snoozed_at'])
    .where('organization_id', '=', organizationId)
    .execute()
  const issues = await db.selectFrom('issues').selectAll().where('organization_id', '=', organizationId).execute()
  const tallies = await db
    .selectFrom('check_tallies')
    .select(['check_id', 'counted', ...countedStatuses])
    .where('organization_id', '=', organizationId)
    .execute()
  const owners = await db
    .selectFrom('people')
    .select('has_used_first_trust')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  const sum = (check: string, column: 'counted' | CountedStatus) =>
    tallies.filter((tally) => tally.check_id === check).reduce((total, tally) => total + tally[column], 0)
  return {
    devices: devices.map((id, index) => {
      const row = at(rows, index)
      const own = issues.filter((issue) => issue.device_id === id)
      return {
        state: row.auth_state,
        willBlockAt: row.will_block_at,
        signalled: row.signalled_status,
        owner: row.registered_owner_id === null ? null : people.indexOf(row.registered_owner_id),
        isSuspended: row.registration_suspended_at !== null,
        isDeleted: row.deleted_at !== null,
        results: results
          .filter((result) => result.device_id === id)
          .map(
            (result) =>
              `${checks.indexOf(result.check_id)} ${result.status} until ${result.exemption_expires_at ?? 'never'} snoozed ${result.snoozed_at ?? 'never'}`,
          )
          .sort(),
        issues: own
          .filter((issue) => issue.resolved_at === null)
          .map(
            (issue) =>
              `${checks.indexOf(issue.check_id)}/${JSON.stringify(issue.issue_value)} ${issue.detected_at} since ${issue.blocking_since ?? 'never'} blocks ${issue.blocks_device_at ?? 'never'}${issue.exempted ? ' exempted' : ''}`,
          )
          .sort(),
        opened: own.length,
      }
    }),
    tallies: checks.map((check) => ({
      counted: sum(check, 'counted'),
      ...countsBy((status) => sum(check, status)),
    })),
    trustUsed: owners.map((owner) => owner.has_used_first_trust),
    ...(await requestsOf(db, organizationId)),
  }
}

async function requestsOf(db: Fleet['db'], organizationId: string) {
  const statuses = async (table: 'exemption_requests' | 'registration_requests') =>
    (
      await db.selectFrom(table).select('status').where('organization_id', '=', organizationId).orderBy('id').execute()
    ).map(({ status }): string => status)
  return {
    exemptionRequests: await statuses('exemption_requests'),
    registrationRequests: await statuses('registration_requests'),
  }
}
