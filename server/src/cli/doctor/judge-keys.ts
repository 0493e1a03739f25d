import type { KeySurvey } from '../../access/api-keys/survey-keys.ts'
import { type Finding, ok, warning } from './finding.ts'

const keys = (count: number): string => (count === 1 ? '1 key' : `${count} keys`)

/** How API keys stand. */
export function judgeKeys({ count, toReview, expired, expiring }: KeySurvey): Finding[] {
  const findings = [
    toReview > 0 &&
      warning('API keys', `${keys(toReview)} made or changed by administrators without full access: muster keys list`),
    expired > 0 && warning('API keys', `${keys(expired)} expired: revoke what is not needed`),
    expiring > 0 && warning('API keys', `${keys(expiring)} will expire within 14 days: muster keys list`),
  ].filter((finding) => finding !== false)
  return findings.length > 0 ? findings : [ok('API keys', `${keys(count)}, none to review`)]
}
