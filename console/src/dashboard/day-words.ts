import { dayName } from '../components/times.ts'
import { type DayFigures, troubled } from './day-figures.ts'

/** "Fri 20 Nov 2026: 9 blocked, 27 will block, 38 notified, 74 together, 421 good" */
export function dayInWords({ day, figures }: DayFigures): string {
  const name = dayName(day)
  if (!figures) return `${name}: no data for this day`
  const { blocked, will_block, notified, good } = figures
  const together = troubled(figures) === 0 ? '' : `, ${troubled(figures)} together`
  return `${name}: ${blocked} blocked, ${will_block} will block, ${notified} notified${together}, ${good} good`
}

/** What the slider says: the figures, and how many changes were made. */
export function dayWithChanges(shown: DayFigures): string {
  const count = (shown.changed?.changes.length ?? 0) + (shown.changed?.more ?? 0)
  const changes = count === 0 ? '' : `; ${count === 1 ? '1 change' : `${count} changes`} of checks`
  return `${dayInWords(shown)}${changes}`
}

/** What stands where the chart would be empty; undefined where it has something to show. */
export function emptyChartInWords(days: readonly DayFigures[]): string | undefined {
  const known = days.flatMap(({ figures }) => figures ?? [])
  if (known.length < 2) return 'The chart begins tomorrow: it shows how many devices have a problem each day.'
  return known.some((figures) => troubled(figures) > 0)
    ? undefined
    : `No device was Notified, Will Block or Blocked on any of the ${known.length} days that are known.`
}
