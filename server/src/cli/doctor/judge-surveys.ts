import type { KeySurvey } from '../../access/api-keys/survey-keys.ts'
import type { DuplicateSurvey } from '../../access/scim/survey-duplicates.ts'
import type { OldAgentSurvey } from '../../compliance/results/survey-old-agents.ts'
import type { DoubtfulDevice, IdentitySurvey } from '../../inventory/devices/survey-identities.ts'
import type { TableProblemSurvey } from '../../reporting/problems/survey-problems.ts'
import type { EndpointSurvey, TroubledEndpoint } from '../../signals/webhooks/survey-endpoints.ts'
import { plainText } from '../table.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { type Finding, ok, warning } from './finding.ts'
import { judgeCompanions } from './judge-companions.ts'
import { judgeRuntimes } from './judge-runtimes.ts'

type Surveys = Pick<
  DatabaseFacts,
  | 'webhooks'
  | 'identities'
  | 'keys'
  | 'duplicates'
  | 'companions'
  | 'companionTypes'
  | 'runtimes'
  | 'oldAgents'
  | 'tableProblems'
>

/** How the records stand that were surveyed. */
export const judgeSurveys = (surveys: Surveys): Finding[] => [
  ...(surveys.webhooks ? judgeWebhooks(surveys.webhooks) : []),
  ...(surveys.identities ? judgeIdentities(surveys.identities) : []),
  ...(surveys.keys ? judgeKeys(surveys.keys) : []),
  ...(surveys.duplicates ? judgeDuplicates(surveys.duplicates) : []),
  ...(surveys.companions ? judgeCompanions(surveys.companions, surveys.companionTypes ?? []) : []),
  ...(surveys.runtimes ? judgeRuntimes(surveys.runtimes) : []),
  ...(surveys.oldAgents ? judgeOldAgents(surveys.oldAgents) : []),
  ...(surveys.tableProblems ? judgeTableProblems(surveys.tableProblems) : []),
]

/** How the endpoints of webhooks stand. */
function judgeWebhooks({ count, troubledCount, troubled }: EndpointSurvey): Finding[] {
  const findings = troubled.map((endpoint) => warning('webhooks', plainText(describeEndpoint(endpoint))))
  const unlisted = troubledCount - troubled.length
  if (unlisted > 0) findings.push(warning('webhooks', `and ${unlisted} more in trouble`))
  const described = count === 0 ? 'no endpoints' : `${count} endpoints, none in trouble`
  return findings.length > 0 ? findings : [ok('webhooks', described)]
}

function describeEndpoint({ id, host, trouble, since, error }: TroubledEndpoint): string {
  const name = `endpoint ${id} (${host})`
  if (trouble === 'failing') return `${name} fails since ${since}: ${error}`
  if (trouble === 'disabled_gone') return `${name} was disabled at ${since}: it answered that it is gone`
  return `${name} was disabled at ${since}, after failing for days: ${error}`
}

/** Devices whose agents may not be their own. */
function judgeIdentities({ count, listed }: IdentitySurvey): Finding[] {
  const findings = listed.map((device) => warning('device identities', plainText(describeDevice(device))))
  if (count > listed.length) findings.push(warning('device identities', `and ${count - listed.length} more`))
  return findings.length > 0 ? findings : [ok('device identities', 'none in doubt')]
}

function describeDevice({ id, name: deviceName, organization, doubt, since }: DoubtfulDevice): string {
  const device = `"${deviceName}" (${id}, ${organization})`
  return doubt === 'suspended'
    ? `the registration of ${device} is suspended since ${since}: run \`muster devices confirm-registration ${id}\` if its agent is the right one`
    : `two agents enroll as ${device} in turn since ${since}: give one machine an identity of its own, then run \`muster devices resolve-identity-conflict ${id}\``
}

const keysOf = (count: number): string => (count === 1 ? '1 key' : `${count} keys`)

/** How API keys stand. */
function judgeKeys({ count, toReview, expired, expiring }: KeySurvey): Finding[] {
  const findings = [
    toReview > 0 &&
      warning(
        'API keys',
        `${keysOf(toReview)} made or changed by administrators without full access: muster keys list`,
      ),
    expired > 0 && warning('API keys', `${keysOf(expired)} expired: revoke what is not needed`),
    expiring > 0 && warning('API keys', `${keysOf(expiring)} will expire within 14 days: muster keys list`),
  ].filter((finding) => finding !== false)
  return findings.length > 0 ? findings : [ok('API keys', `${keysOf(count)}, none to review`)]
}

/** Records that others are taken for, since their names differ in width, case or form of Unicode alone. */
function judgeDuplicates({ count, listed }: DuplicateSurvey): Finding[] {
  const findings = listed.map(({ kind, id, name, organization }) =>
    warning(
      'names',
      plainText(
        `the ${kind} "${name}" (${id}, ${organization}) has the same name as an older one, in another spelling: rename or remove one of them`,
      ),
    ),
  )
  if (count > listed.length) findings.push(warning('names', `and ${count - listed.length} more`))
  return findings.length > 0 ? findings : [ok('names', 'no duplicates')]
}

const devicesOf = (count: number): string => (count === 1 ? '1 device' : `${count} devices`)

/** Checks that say nothing for no other reason than an old osquery. */
function judgeOldAgents(survey: OldAgentSurvey): Finding[] {
  if (survey.length === 0) return [ok('osquery', 'new enough for every check that has run')]
  return survey.map(({ version, checks, devices }) => {
    const waiting = checks === 1 ? '1 check needs' : `${checks} checks need`
    const where = devicesOf(devices)
    return warning('osquery', `${waiting} ${version} or newer to tell, on ${where}: upgrade osquery there`)
  })
}

const tableTroubles = {
  denied: ['is refused by the agent', 'see the Inventory of the device'],
  missing: ['is missing in the agent', 'upgrade osquery there'],
  failed: ['fails', 'see the Inventory of the device'],
} as const

/** Reporting tables that agents refuse, lack or fail to read; what they say is theirs and not printed here. */
function judgeTableProblems(survey: TableProblemSurvey): Finding[] {
  if (survey.length === 0) return [ok('tables', 'no agent refuses or lacks one')]
  return survey.map(({ table, type, devices }) => {
    const [trouble, advice] = tableTroubles[type]
    return warning('tables', `${table} ${trouble} on ${devicesOf(devices)}: ${advice}`)
  })
}
