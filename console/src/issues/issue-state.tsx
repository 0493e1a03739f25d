import type { ReactNode } from 'react'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { Mark, type MarkName, StandingShape } from '../components/state-shape.tsx'
import { issueStanding, type StandingIssue } from './issue-standing.ts'

const idle = (mark: MarkName, text: ReactNode) => (
  <span className="state secondary">
    <Mark name={mark} />
    {text}
  </span>
)

/** Whether the issue blocks, and from when; and whether its owner is told. */
export function IssueState({ issue }: { readonly issue: StandingIssue }) {
  const standing = issueStanding(issue, useNow())
  switch (standing) {
    case 'resolved':
      return idle(
        'tick',
        <>
          Resolved <RelativeTime time={issue.resolved_at} />
        </>,
      )
    case 'exempted':
      return idle('struck', 'Exempted')
    case 'paused':
      return idle('dash', 'Check paused')
    case 'report_only':
      return idle('dash', 'Report only')
    case 'unowned':
      return idle('dash', 'No owner')
    case 'held':
      return idle('pending', 'Block held')
    case 'notified':
      return (
        <span className="state notified">
          <StandingShape standing="notified" />
          Notifies
        </span>
      )
    case 'will_block':
    case 'blocking':
      return (
        <span className={standing === 'blocking' ? 'state blocked' : 'state will'}>
          <StandingShape standing={standing === 'blocking' ? 'blocked' : 'will_block'} />
          {standing === 'blocking' ? 'Blocking ' : 'Blocks '}
          <RelativeTime time={issue.blocks_at} />
        </span>
      )
  }
}
