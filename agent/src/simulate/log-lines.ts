import type { ConfigPlan, ScheduledQuery } from './config-plan.ts'
import type { DeviceProfile } from './device-profile.ts'
import { simulatedVersion } from './enroll-body.ts'
import { fillTemplate } from './identity-template.ts'
import type { QueryAnswers } from './query-answers.ts'

type DueResult = {
  query: ScheduledQuery
  plan: ConfigPlan
  profile: DeviceProfile
  answers: QueryAnswers
  unixTime: number
  /** Whether the device never reported: a differential query sends its whole set then, and no change later. */
  isFirst: boolean
}

/** The log lines of one scheduled query that ran; one that fails sends no result. */
export function resultLines({ query, plan, profile, answers, unixTime, isFirst }: DueResult): string[] {
  const answer = answers.answerTo(query.sql, profile)
  if (answer.kind === 'fixed' && answer.messageJson !== '""') return []
  const rowsJson = fillTemplate(answer.kind === 'fixed' ? answer.rows : answer.passRows, profile)
  const head =
    `{"name":${JSON.stringify(query.name)},"hostIdentifier":"${profile.uuid}","calendarTime":"${calendarTime(unixTime)}",` +
    `"unixTime":${unixTime},"epoch":0,"counter":0,"numerics":false,"decorations":${decorations(plan, profile, answers)},`
  if (query.isSnapshot) return [`${head}"action":"snapshot","snapshot":${rowsJson}}`]
  if (!isFirst) return []
  const rows: unknown = JSON.parse(rowsJson)
  if (!Array.isArray(rows)) return []
  return rows.map((row) => `${head}"action":"added","columns":${JSON.stringify(row)}}`)
}

export function statusLine(profile: DeviceProfile, unixTime: number): string {
  return JSON.stringify({
    hostIdentifier: profile.uuid,
    calendarTime: calendarTime(unixTime),
    unixTime,
    severity: 1,
    filename: 'scheduler.cpp',
    line: 104,
    message: 'Simulated warning: a scheduled query took longer than usual',
    version: simulatedVersion,
    decorations: {},
  })
}

/** The columns of the first row of each decorator query, as osquery adds them to every line. */
function decorations(plan: ConfigPlan, profile: DeviceProfile, answers: QueryAnswers): string {
  const columns: Record<string, unknown> = {}
  for (const sql of plan.decoratorQueries) {
    const answer = answers.answerTo(sql, profile)
    if (answer.kind !== 'fixed') continue
    const rows: unknown = JSON.parse(fillTemplate(answer.rows, profile))
    if (Array.isArray(rows)) Object.assign(columns, rows[0])
  }
  return JSON.stringify(columns)
}

/** C's `asctime` and the zone, e.g. `Tue Oct 14 10:00:00 2025 UTC`; the day is padded with a space. */
function calendarTime(unixTime: number): string {
  const [weekday = '', day = '', month = '', year = '', clock = ''] = new Date(unixTime * 1000)
    .toUTCString()
    .split(/,? /)
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${clock} ${year} UTC`
}
