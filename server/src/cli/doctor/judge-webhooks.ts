import type { EndpointSurvey, TroubledEndpoint } from '../../signals/webhooks/survey-endpoints.ts'
import { plainText } from '../table.ts'
import { type Finding, ok, warning } from './finding.ts'

/** How the endpoints of webhooks stand. */
export function judgeWebhooks({ count, troubledCount, troubled }: EndpointSurvey): Finding[] {
  const findings = troubled.map((endpoint) => warning('webhooks', plainText(describe(endpoint))))
  const unlisted = troubledCount - troubled.length
  if (unlisted > 0) findings.push(warning('webhooks', `and ${unlisted} more in trouble`))
  const described = count === 0 ? 'no endpoints' : `${count} endpoints, none in trouble`
  return findings.length > 0 ? findings : [ok('webhooks', described)]
}

function describe({ id, host, trouble, since, error }: TroubledEndpoint): string {
  const name = `endpoint ${id} (${host})`
  if (trouble === 'failing') return `${name} fails since ${since}: ${error}`
  if (trouble === 'disabled_gone') return `${name} was disabled at ${since}: it answered that it is gone`
  return `${name} was disabled at ${since}, after failing for days: ${error}`
}
