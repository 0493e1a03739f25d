import { dayMs, plusMs } from '../../base/time.ts'
import { ownerTextsOf } from '../../compliance/issues/owner-texts.ts'
import { TextAllowance } from '../../compliance/templates/render-text.ts'
import type { ExemptionView, RowsView, SnoozeView, ThingView } from '../page/page-view.ts'
import { mayBePutOff } from '../sessions/session-rules.ts'
import { drawFix, drawOwnerText } from './owner-text.ts'
import type { IssueRow, listExemptionRequests } from './view-queries.ts'

type Request = Awaited<ReturnType<typeof listExemptionRequests>>[number]

export type Around = {
  now: string
  /** Since when a check again is awaited; null when none is. */
  recheckedAt: string | null
  isRechecking: boolean
  system: string | null
  /** Whether the person is the owner, who alone may ask for exemptions. */
  isOwner: boolean
  requests: readonly Request[]
}

const shownRows = 5
const shownColumns = 3
const maxValue = 200
const snoozeAgainMs = 7 * dayMs

/** The issues of one check are one thing to fix. */
export function viewOfThings(rows: readonly IssueRow[], around: Around): ThingView[] {
  const byCheck = Map.groupBy(rows, ({ check_id: checkId }) => checkId)
  const allowance = new TextAllowance()
  return [...byCheck.values()].map((group) => viewOfThing(group, around, allowance))
}

function viewOfThing(group: readonly IssueRow[], around: Around, allowance: TextAllowance): ThingView {
  const open = group.filter(({ resolved_at: resolvedAt }) => resolvedAt === null)
  const first = (open[0] ?? group[0]) as IssueRow
  const { now, isRechecking, recheckedAt } = around
  const standing = standingOf(open, now)
  const isFixed = standing === 'fixed'
  const shown = open.slice(0, shownRows).map(({ value }) => value)
  const texts = isFixed ? undefined : ownerTextsOf(first, shown, allowance)
  const why = drawOwnerText(texts?.rationale)
  const fix = drawFix(texts?.fix_instructions, around.system)
  const isLate = recheckedAt !== null && first.ran_at < recheckedAt
  return {
    checkId: first.check_id,
    issueIds: open.map(({ id }) => id),
    title: first.title,
    // The names of the checks that come with Muster say what is good.
    goodTitle: first.is_provided ? first.check_name : first.title,
    standing,
    isHeld: standing === 'advice' && open.some(({ hold_id: holdId }) => holdId !== null),
    why,
    fix,
    rows: isFixed || names(`${why?.html ?? ''}${fix?.steps.html ?? ''}`, first) ? null : viewOfRows(open),
    more: Math.max(0, open.length - shownRows),
    blocksAt: first.blocks_device_at,
    fixedAt: isFixed ? lastOf(group.map(({ resolved_at: at }) => at)) : null,
    isChecking: !isFixed && isRechecking && isLate,
    stillAt: recheckedAt !== null && !isLate && !isFixed ? first.ran_at : null,
    snooze: isFixed ? { kind: 'none' } : snoozeOf(first, standing, now),
    exemption: isFixed ? { kind: 'none' } : exemptionOf(first, open, around),
  }
}

const lastOf = (moments: readonly (string | null)[]): string | null =>
  moments
    .filter((moment) => moment !== null)
    .sort()
    .at(-1) ?? null

function standingOf(open: readonly IssueRow[], now: string): ThingView['standing'] {
  if (open.length === 0) return 'fixed'
  const [soonest] = open.flatMap(({ blocks_device_at: at }) => (at === null ? [] : [at])).sort()
  if (soonest === undefined) return 'advice'
  return soonest <= now ? 'blocking' : 'later'
}

/** Whether the texts of the check list what it found, so that a table would say it twice. */
const names = (texts: string, { issue_value: value }: IssueRow): boolean =>
  value !== null && value !== '' && texts.includes(value)

/** What was found, by the columns of the check that have something in them. */
function viewOfRows(open: readonly IssueRow[]): RowsView | null {
  const [first] = open
  if (!first || first.issue_key === null) return null
  const values = open.slice(0, shownRows).map(({ value }) => value)
  const filled = Object.keys(first.value).filter(
    (key) => key !== 'KOLIDE_CHECK_STATUS' && values.some((value) => (value[key] ?? '') !== ''),
  )
  // A key that was put together of several columns says nothing that they do not say.
  const told = filled.filter((key) => key !== first.issue_key || !(first.value[key] ?? '').includes('|'))
  const columns = [...told].sort((a, b) => Number(b === first.issue_key) - Number(a === first.issue_key))
  const shown = columns.slice(0, shownColumns)
  if (shown.length === 0) return null
  return {
    columns: shown.map(inWords),
    rows: values.map((value) => shown.map((key) => shorten(value[key] ?? ''))),
  }
}

function inWords(column: string): string {
  const words = column.replaceAll('_', ' ').trim()
  return shorten(words.charAt(0).toUpperCase() + words.slice(1))
}

const shorten = (text: string): string => (text.length > maxValue ? `${text.slice(0, maxValue).toWellFormed()}…` : text)

function snoozeOf(row: IssueRow, standing: ThingView['standing'], now: string): SnoozeView {
  const { snoozed_at: at, snoozed_until: until } = row
  if (until !== null && until > now) return { kind: 'running', until }
  if (!mayBePutOff(row) || row.snooze_disallowed) return { kind: 'none' }
  // Before that it would put nothing off.
  if (standing === 'later' && (row.blocks_device_at ?? '') > plusMs(now, dayMs)) return { kind: 'none' }
  const againAt = at === null ? now : plusMs(at, snoozeAgainMs)
  return againAt > now ? { kind: 'spent', againAt } : { kind: 'offered' }
}

function exemptionOf(first: IssueRow, open: readonly IssueRow[], { isOwner, requests }: Around): ExemptionView {
  const ids = new Set(open.map(({ id }) => id))
  const own = requests.filter(({ issue_id: issueId }) => ids.has(issueId))
  const asked = own.find(({ status }) => status === 'open')
  if (asked) return { kind: 'asked', requestId: asked.id, at: asked.requested_at }
  if (!isOwner || !mayBePutOff(first) || first.exemptions_disallowed) return { kind: 'none' }
  const words = own[0]?.denial_explanation ?? null
  return words === null ? { kind: 'offered' } : { kind: 'refused', words }
}
