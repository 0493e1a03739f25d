import type { IssueView } from '@muster/contract/console-issues.ts'
import type { Device } from '@muster/contract/devices.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { BlockEffect } from '../components/block-effect.tsx'
import { deadlineOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { type IssueStanding, issueStanding } from '../issues/issue-standing.ts'
import { type deviceStanding, ownerIdOf } from './device-facts.ts'

/** What the state of a device means, as a sentence. */
export function consequenceOf(
  device: Device,
  standing: ReturnType<typeof deviceStanding>,
  owner: string,
  issues: readonly IssueView[] | undefined,
  now: number,
): ReactNode {
  if (standing === 'never') return 'Enrolled, but it has not checked in yet.'
  if (standing === 'stale') return 'Not seen for 7 days or more. What you see here may be out of date.'
  if (ownerIdOf(device) === undefined) {
    return 'This device has no owner: it cannot be used to sign in through Muster, and is never blocked.'
  }
  if (standing === 'blocked') {
    return (
      <>
        <Blocked isSuspended={device.registration_suspended_at !== null} issues={issues} now={now} />{' '}
        <BlockEffect owner={owner} isBlocked />
      </>
    )
  }
  if (standing === 'will_block' && device.will_block_at) {
    return (
      <>
        Will be blocked <b className="medium">{deadlineOf(device.will_block_at, now)} UTC</b>
        <Because issues={issuesThat('will_block', issues, now)} />. Fix, exempt or snooze it to prevent this.{' '}
        <BlockEffect owner={owner} isBlocked={false} />
      </>
    )
  }
  if (standing === 'notified') return notifiedOf(issues, now)
  return issuesThat('held', issues, now).length > 0 ? heldText : 'Nothing blocks it.'
}

const heldText =
  'Nothing blocks it. The block by a check that it fails is held, until an administrator decides about it.'

const issuesThat = (wanted: IssueStanding, issues: readonly IssueView[] | undefined, now: number) =>
  issues?.filter((issue) => issueStanding(issue, now) === wanted) ?? []

/** What blocks it, the first first. */
export const blockingIssues = (issues: readonly IssueView[] | undefined, now: number): readonly IssueView[] =>
  issuesThat('blocking', issues, now)

type BlockedParts = {
  readonly isSuspended: boolean
  readonly issues: readonly IssueView[] | undefined
  readonly now: number
}

/** No issue need be there: a suspended registration keeps the device blocked. */
function Blocked({ isSuspended, issues, now }: BlockedParts) {
  const blocking = blockingIssues(issues, now)
  const since = blocking[0]?.blocks_at ?? null
  if (since === null) return isSuspended ? 'Blocked: its registration is suspended.' : 'Blocked.'
  const others = blocking.length - 1
  return (
    <>
      Blocked since <b className="medium">{deadlineOf(since, now)} UTC</b>
      <Because issues={blocking} />.
      {others > 0 && ` ${others === 1 ? '1 more issue blocks' : `${others} more issues block`} it.`}
    </>
  )
}

/** The issue and the check that the time is of. */
function Because({ issues: [issue] }: { readonly issues: readonly IssueView[] }) {
  if (issue === undefined) return null
  return (
    <>
      {': '}
      <Link className="underlined" to="/issues/$issueId" params={{ issueId: issue.id }}>
        {visibleText(issue.title)}
      </Link>
      {' (check '}
      <Link className="underlined" to="/checks/$checkId" params={{ checkId: issue.check.id }}>
        {visibleText(issue.check.name)}
      </Link>
      )
    </>
  )
}

/** Counts what owners are told of alone: issues of checks that only report are open as well. */
function notifiedOf(issues: readonly IssueView[] | undefined, now: number): string {
  const shown = issuesThat('notified', issues, now).length
  if (shown === 0) return 'Nothing blocks it.'
  return shown === 1
    ? '1 issue notifies the owner. Nothing blocks it.'
    : `${shown.toLocaleString('en')} issues notify the owner. Nothing blocks it.`
}
