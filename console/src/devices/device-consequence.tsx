import type { IssueView } from '@muster/contract/console-issues.ts'
import type { Device } from '@muster/contract/devices.ts'
import type { ReactNode } from 'react'
import { deadlineOf } from '../components/times.ts'
import { issueStanding } from '../issues/issue-standing.ts'
import { type deviceStanding, ownerIdOf } from './device-facts.ts'

/** What the state of a device means for its owner, as a sentence. */
export function consequenceOf(
  device: Device,
  standing: ReturnType<typeof deviceStanding>,
  owner: string,
  issues: readonly IssueView[] | undefined,
  now: number,
): ReactNode {
  if (standing === 'never') return 'Enrolled; it has not spoken to the service yet.'
  if (standing === 'stale') return 'Not heard of for 7 days or more. What is shown is from before.'
  if (ownerIdOf(device) === undefined) {
    return 'Nobody owns this device; it cannot be used to sign in and is never blocked.'
  }
  if (standing === 'blocked') return `${owner} cannot sign in with this device until what blocks it is put right.`
  if (standing === 'will_block' && device.will_block_at) {
    return (
      <>
        {owner} cannot sign in with this device from <b className="m">{deadlineOf(device.will_block_at, now)} UTC</b>{' '}
        unless the failure is fixed, exempted or snoozed.
      </>
    )
  }
  if (standing === 'notified') return shownAtSignIn(issues, now)
  return `${owner} can sign in with this device.`
}

/** Counts what owners are told of alone: issues of checks that only report are open as well. */
function shownAtSignIn(issues: readonly IssueView[] | undefined, now: number): string {
  const shown = issues?.filter((issue) => issueStanding(issue, now) === 'notified').length ?? 0
  if (shown === 0) return 'Nothing blocks it.'
  return shown === 1
    ? '1 issue is shown at sign-in. Nothing blocks it.'
    : `${shown.toLocaleString('en')} issues are shown at sign-in. Nothing blocks it.`
}
