import type { IssueFacts, OwnerIssues } from '@muster/contract/console-issues.ts'
import { deadlineOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { issueStanding } from './issue-standing.ts'

type Told = Pick<
  IssueFacts,
  | 'title'
  | 'rationale'
  | 'fix_instructions'
  | 'blocks_at'
  | 'resolved_at'
  | 'exempted'
  | 'strategy'
  | 'is_paused'
  | 'is_held'
  | 'owner'
  | 'device'
> & { readonly texts_left_out?: boolean }

const leftOut = 'What to do about it is too long for a message. Ask your IT team for it.'

/** Whether the owner of the device sees the issue at sign-in, so that a message about it says nothing new. */
export const isForOwner = (issue: Parameters<typeof issueStanding>[0], now: number): boolean =>
  ['notified', 'held', 'will_block', 'blocking'].includes(issueStanding(issue, now))

/** Plain text for mail or chat: what the owner of a device reads at sign-in about these issues of it. */
export function ownerMessage(issues: readonly Told[], now: number): string {
  const [first] = issues
  if (!first) return ''
  const device = visibleText(first.device.name)
  const count = issues.length === 1 ? '1 issue' : `${issues.length} issues`
  const isBlocked = issues.some((issue) => issueStanding(issue, now) === 'blocking')
  const opening = isBlocked
    ? `${device} is blocked until you fix what is listed here.`
    : `${device} has ${count} to fix.`
  return [opening, ...issues.map((issue) => about(issue, now))].join('\n\n')
}

/** The same for the owners of several devices, each with the address that it is for. */
export const ownerMessages = (devices: OwnerIssues['data'], now: number): string =>
  devices
    .map(({ email, issues }) => `To: ${visibleText(email)}\n\n${ownerMessage(issues, now)}`)
    .join('\n\n--------\n\n')

function about(issue: Told, now: number): string {
  const standing = issueStanding(issue, now)
  const deadline =
    standing === 'will_block' && issue.blocks_at !== null
      ? ` (fix it before ${deadlineOf(issue.blocks_at, now)} UTC)`
      : standing === 'blocking'
        ? ' (blocks the device)'
        : ''
  const texts = [
    issue.texts_left_out ? leftOut : null,
    issue.rationale,
    issue.fix_instructions && `How to fix it:\n${issue.fix_instructions}`,
  ]
  const lines = [`${issue.title}${deadline}`, ...texts.filter((text) => text !== null)].join('\n\n').split('\n')
  return lines.map(visibleText).join('\n')
}
