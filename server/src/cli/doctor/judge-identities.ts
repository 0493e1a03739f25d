import type { DoubtfulDevice, IdentitySurvey } from '../../inventory/devices/survey-identities.ts'
import { plainText } from '../table.ts'
import { type Finding, ok, warning } from './finding.ts'

const name = 'device identities'

/** Devices whose agents may not be their own. */
export function judgeIdentities({ count, listed }: IdentitySurvey): Finding[] {
  const findings = listed.map((device) => warning(name, plainText(describe(device))))
  if (count > listed.length) findings.push(warning(name, `and ${count - listed.length} more`))
  return findings.length > 0 ? findings : [ok(name, 'none in doubt')]
}

function describe({ id, name: deviceName, organization, doubt, since }: DoubtfulDevice): string {
  const device = `"${deviceName}" (${id}, ${organization})`
  return doubt === 'suspended'
    ? `the registration of ${device} is suspended since ${since}: run \`muster devices confirm-registration ${id}\` if its agent is the right one`
    : `two agents enroll as ${device} in turn since ${since}: give one machine an identity of its own, then run \`muster devices resolve-identity-conflict ${id}\``
}
