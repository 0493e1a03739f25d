import type { IssueView } from '@muster/contract/console-issues.ts'

export type StandingIssue = Pick<
  IssueView,
  'resolved_at' | 'exempted' | 'blocks_at' | 'strategy' | 'is_paused' | 'is_held' | 'owner'
>

/** What an issue leads to now: nothing, for a reason; a word at sign-in; or a block, now or later. */
export type IssueStanding =
  | 'resolved'
  | 'exempted'
  | 'paused'
  | 'report_only'
  | 'unowned'
  | 'held'
  | 'notified'
  | 'will_block'
  | 'blocking'

/** As the server decides the state of the device; a check that blocks no more blocks nobody from that moment on. */
export function issueStanding(issue: StandingIssue, now: number): IssueStanding {
  if (issue.resolved_at !== null) return 'resolved'
  if (issue.exempted) return 'exempted'
  if (issue.is_paused) return 'paused'
  if (issue.strategy === 'report_only') return 'report_only'
  if (issue.owner === null) return 'unowned'
  if (issue.is_held && issue.blocks_at === null) return 'held'
  if (issue.strategy === 'notify_only' || issue.blocks_at === null) return 'notified'
  return Date.parse(issue.blocks_at) <= now ? 'blocking' : 'will_block'
}
