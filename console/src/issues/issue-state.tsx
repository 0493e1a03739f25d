import type { IssueView } from '@muster/contract/console-issues.ts'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { Mark, StandingShape } from '../components/state-shape.tsx'

type Parts = { readonly issue: Pick<IssueView, 'resolved_at' | 'exempted' | 'blocks_at' | 'owner'> }

/** Whether the issue blocks, and from when. */
export function IssueState({ issue }: Parts) {
  const now = useNow()
  if (issue.resolved_at !== null) {
    return (
      <span className="state t2">
        <Mark name="tick" />
        Resolved <RelativeTime time={issue.resolved_at} />
      </span>
    )
  }
  if (issue.exempted) {
    return (
      <span className="state t2">
        <Mark name="struck" />
        Exempted
      </span>
    )
  }
  if (issue.blocks_at === null) {
    return (
      <span className="state notified">
        <StandingShape standing="notified" />
        Never blocks
      </span>
    )
  }
  const isBlocking = Date.parse(issue.blocks_at) <= now
  return (
    <span className={isBlocking ? 'state blocked' : 'state will'}>
      <StandingShape standing={isBlocking ? 'blocked' : 'will_block'} />
      {isBlocking ? 'Blocking ' : 'Blocks '}
      <RelativeTime time={issue.blocks_at} />
    </span>
  )
}
