import type { ConsoleSummary } from '@muster/contract/console-views.ts'

type Standings = ConsoleSummary['standings']
export type DayFigures = { readonly day: string; readonly figures: Standings | null }

const dayMs = 86_400_000

/** The last 30 days, oldest first, today with its present figures; null where nothing is known of a day. */
export function lastDays({ days, standings }: Pick<ConsoleSummary, 'days' | 'standings'>, now: number): DayFigures[] {
  const known = new Map(days.map(({ day, ...figures }) => [day, figures]))
  return Array.from({ length: 30 }, (_, index) => {
    const ago = 29 - index
    const day = new Date(now - ago * dayMs).toISOString().slice(0, 10)
    return { day, figures: ago === 0 ? standings : (known.get(day) ?? null) }
  })
}

export const troubled = ({ blocked, will_block, notified }: Standings): number => blocked + will_block + notified

/** Percent of the reporting devices that are good; null when none reports. */
export function goodShare({ blocked, will_block, notified, good }: Standings): number | null {
  const reporting = blocked + will_block + notified + good
  return reporting === 0 ? null : (good / reporting) * 100
}

/** Four lines at most, at round numbers, the last one above everything. */
export function ticksFor(most: number): number[] {
  const step = [1, 2, 5, 10, 20, 25, 40, 50].find((size) => size * 4 >= most) ?? 10 ** Math.ceil(Math.log10(most / 4))
  const count = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}
