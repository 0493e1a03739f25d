import type { Config } from '../../base/config/load-config.ts'
import { dayMs } from '../../base/time.ts'
import type { StreamSurvey } from '../../signals/streams/survey-streams.ts'
import { plainText } from '../table.ts'
import { type Finding, ok, warning } from './finding.ts'

const oldKeyDays = 365

/** How the receivers of streams stand, and what endangers streams before they do. */
export function judgeStreams(survey: StreamSurvey, { baseUrl, allowPrivateReceivers }: Config, now: string): Finding[] {
  const findings = [...judgeDeliveries(survey), judgeSigningKey(survey.signingSince, now)]
  if (survey.count > 0 && !baseUrl.startsWith('https:')) {
    findings.push(
      warning('streams', `MUSTER_BASE_URL is ${baseUrl}: receivers ask for an issuer, and keys, with https`),
    )
  }
  if (allowPrivateReceivers) {
    findings.push(
      warning(
        'private receivers',
        'MUSTER_ALLOW_PRIVATE_RECEIVERS is on: anyone who manages streams and webhooks can make this server call addresses inside your network',
      ),
    )
  }
  return findings
}

function judgeDeliveries({ count, failingCount, failing, withoutToken }: StreamSurvey): Finding[] {
  const findings = failing.map(({ id, name, since, error }) =>
    warning('streams', plainText(`"${name}" (${id}) fails since ${since}: ${error}`)),
  )
  const unlisted = failingCount - failing.length
  if (unlisted > 0) findings.push(warning('streams', `${unlisted} more fail`))
  if (withoutToken > 0) findings.push(warning('streams', `${withoutToken} cannot be polled: rotate a poll token in`))
  const described = count === 0 ? 'none' : `${count}, none in trouble`
  return findings.length > 0 ? findings : [ok('streams', described)]
}

function judgeSigningKey(since: string | null, now: string): Finding {
  const name = 'signing key'
  if (since === null) return ok(name, 'none yet: the first start makes it')
  const days = Math.floor((Date.parse(now) - Date.parse(since)) / dayMs)
  if (days <= oldKeyDays) return ok(name, `signs the events of streams since ${since}`)
  return warning(name, `signs since ${since}: rotate it once a year, with \`muster keys rotate-signing\``)
}
