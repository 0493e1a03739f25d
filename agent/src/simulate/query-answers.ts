import { type CheckFixtures, deriveCheckAnswers, isCheck } from './check-answers.ts'
import type { DeviceProfile } from './device-profile.ts'
import { genericTables } from './generic-tables.ts'
import { type IdentityTemplate, markedProfile, prepareTemplate } from './identity-template.ts'
import { runSql, type SqlOutcome } from './run-sql.ts'
import { hashOfText } from './seeded.ts'

/** What devices of one kind answer to one SQL text, ready to be put into a request. */
export type PreparedAnswer =
  | { kind: 'fixed'; rows: IdentityTemplate; messageJson: string }
  | { kind: 'check'; subject: number; passRows: IdentityTemplate; failRows: IdentityTemplate }

export type QueryAnswers = {
  answerTo: (sql: string, profile: DeviceProfile) => PreparedAnswer
  /** How many SQL texts (per kind of device) were worked out. */
  size: () => number
}

/** Live queries each bring a new text; beyond this many the oldest are worked out again when they come back. */
const cachedTexts = 4000

export function createQueryAnswers(fixtures: CheckFixtures, startedAtSeconds: number): QueryAnswers {
  const prepared = new Map<string, PreparedAnswer>()
  return {
    answerTo(sql, profile) {
      const key = `${kindOf(sql, profile)}\n${sql}`
      const known = prepared.get(key)
      if (known) return known
      if (prepared.size >= cachedTexts)
        for (const oldest of prepared.keys().take(cachedTexts / 4)) prepared.delete(oldest)
      const answer = prepareAnswer(sql, profile, fixtures, startedAtSeconds)
      prepared.set(key, answer)
      return answer
    },
    size: () => prepared.size,
  }
}

/** Checks are answered from fixtures, alike on a platform; other queries show the release and the hardware. */
function kindOf(sql: string, profile: DeviceProfile): string {
  return isCheck(sql) ? profile.platform : `${profile.platform} ${profile.release} ${profile.hardware.model}`
}

function prepareAnswer(
  sql: string,
  profile: DeviceProfile,
  fixtures: CheckFixtures,
  startedAtSeconds: number,
): PreparedAnswer {
  const generic = genericTables(markedProfile(profile), startedAtSeconds)
  if (!isCheck(sql)) return fixed(runSql(sql, profile.platform, generic))
  const answers = deriveCheckAnswers(sql, profile.platform, fixtures, generic)
  if ('either' in answers) return fixed(answers.either)
  return {
    kind: 'check',
    subject: hashOfText(answers.subject),
    passRows: prepareTemplate(JSON.stringify(answers.pass)),
    failRows: prepareTemplate(JSON.stringify(answers.fail)),
  }
}

function fixed(outcome: SqlOutcome): PreparedAnswer {
  return {
    kind: 'fixed',
    rows: prepareTemplate(JSON.stringify(outcome.rows)),
    messageJson: JSON.stringify(outcome.message),
  }
}
