import type { DuplicateSurvey } from '../../access/scim/survey-duplicates.ts'
import { plainText } from '../table.ts'
import { type Finding, ok, warning } from './finding.ts'

const name = 'names'

/** Records that others are taken for, since their names differ in width, case or form of Unicode alone. */
export function judgeDuplicates({ count, listed }: DuplicateSurvey): Finding[] {
  const findings = listed.map(({ kind, id, name: own, organization }) =>
    warning(
      name,
      plainText(
        `the ${kind} "${own}" (${id}, ${organization}) has the same name as an older one, in another spelling: rename or remove one of them`,
      ),
    ),
  )
  if (count > listed.length) findings.push(warning(name, `and ${count - listed.length} more`))
  return findings.length > 0 ? findings : [ok(name, 'no duplicates')]
}
