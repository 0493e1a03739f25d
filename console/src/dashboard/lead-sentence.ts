import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { goodShare } from './day-figures.ts'
import { sharesOf } from './shares.ts'

const devices = (count: number): string => (count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`)

/** What is true now, and what follows. */
export function leadSentence({ standings, only_reporting: only, blocking_within_24h: soon }: ConsoleSummary): string {
  if (only !== null && standings.blocked === 0) {
    return only.checks === 1
      ? 'Nothing blocks: the only check just reports.'
      : `Nothing blocks: all ${only.checks} checks only report.`
  }
  const now =
    standings.blocked === 0
      ? 'No devices are blocked.'
      : `${devices(standings.blocked)} ${standings.blocked === 1 ? 'is' : 'are'} blocked.`
  if (soon === 0) return `${now} ${standings.blocked === 0 ? 'None' : 'No more'} will be blocked in the next 24 hours.`
  return `${now} ${soon.toLocaleString('en')}${standings.blocked === 0 ? '' : ' more'} will be blocked within 24 hours.`
}

/** What is found, and what waits. */
export function secondSentence(summary: ConsoleSummary): string {
  const { standings, waiting_requests: waiting, only_reporting: only } = summary
  const first = only === null || standings.blocked > 0 ? goodInWords(summary) : foundInWords(only.devices_with_issues)
  if (waiting === 0) return `${first} No requests are waiting.`
  return `${first} ${waiting === 1 ? '1 request is waiting' : `${waiting} requests are waiting`} for a decision.`
}

/** While checks only report, every device is Good, whatever they find. */
const foundInWords = (count: number): string =>
  count === 0 ? 'No device has an open issue.' : `${devices(count)} ${count === 1 ? 'has' : 'have'} an open issue.`

/** Stale and silent devices are no part of the percentage. */
function goodInWords({ standings, days }: ConsoleSummary): string {
  const { blocked, will_block, notified, good } = standings
  const reporting = blocked + will_block + notified + good
  const share = reporting === 0 ? '' : ` (${sharesOf([blocked, will_block, notified, good])[3]})`
  return `${good.toLocaleString('en')} of ${devices(reporting).replace('device', 'reporting device')} ${good === 1 ? 'is' : 'are'} Good${share}${changeSince(days, standings)}.`
}

/** How the share of good devices has changed since the first day that is known of the last 30. */
function changeSince(days: ConsoleSummary['days'], standings: ConsoleSummary['standings']): string {
  const [first] = days
  const [then, now] = [first && goodShare(first), goodShare(standings)]
  if (first === undefined || then === undefined || then === null || now === null) return ''
  const points = Math.round((now - then) * 10) / 10
  const ago = Math.floor((Date.now() - Date.parse(first.day)) / 86_400_000)
  const since = ago === 1 ? 'yesterday' : `${ago} days ago`
  if (points === 0) return `, as ${since}`
  return `, ${Math.abs(points)} points ${points > 0 ? 'more' : 'less'} than ${since}`
}
