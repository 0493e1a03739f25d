import type { ConsoleSummary } from '@muster/contract/console-views.ts'

type Standings = ConsoleSummary['standings']
type DayChanges = Pick<ConsoleSummary['changes'][number], 'changes' | 'more'>
export type DayFigures = {
  readonly day: string
  readonly figures: Standings | null
  /** What was changed about checks that day. */
  readonly changed: DayChanges | undefined
}

const dayMs = 86_400_000

type Known = Pick<ConsoleSummary, 'days' | 'standings' | 'changes'>

/** The last 30 days, oldest first, today with its present figures; null where nothing is known of a day. */
export function lastDays({ days, standings, changes }: Known, now: number): DayFigures[] {
  const known = new Map(days.map(({ day, ...figures }) => [day, figures]))
  const changed = new Map(changes.map(({ day, ...rest }) => [day, rest]))
  return Array.from({ length: 30 }, (_, index) => {
    const ago = 29 - index
    const day = new Date(now - ago * dayMs).toISOString().slice(0, 10)
    return { day, figures: ago === 0 ? standings : (known.get(day) ?? null), changed: changed.get(day) }
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

export type ChangeLabel = { readonly text: string; readonly isBefore: boolean }

const signsPerDay = 3.4
const fewestSigns = 7

/**
 * What stands above the dotted line of each day on which checks were changed: the name of the check, cut to the room
 * that there is until the next line, or before it at the right end; nothing where a few signs are all.
 */
export function changeLabels(days: readonly DayFigures[]): (ChangeLabel | undefined)[] {
  let free = 0
  return days.map(({ changed }, index) => {
    if (!changed) return undefined
    const next = days.findIndex((other, place) => place > index && other.changed !== undefined)
    const isBefore = next === -1 && index - free > days.length - index
    const room = isBefore ? index - free : (next === -1 ? days.length : next) - index
    const signs = Math.floor(room * signsPerDay)
    free = index
    if (signs < fewestSigns) return undefined
    const rest = changed.changes.length - 1 + changed.more
    const name = changed.changes[0]?.check_name ?? ''
    const text = rest > 0 ? severalIn(signs, name, rest) : cutTo(signs, name)
    return text === undefined ? undefined : { text, isBefore }
  })
}

const lengthOf = (text: string): number => [...text].length

const cutTo = (signs: number, name: string): string =>
  lengthOf(name) <= signs ? name : `${[...name].slice(0, signs - 1).join('')}…`

/** "FileVault is on and 2 more", or how many there are where that is too long. */
function severalIn(signs: number, name: string, rest: number): string | undefined {
  const texts = [`${name} and ${rest} more`, `${rest + 1} changes`]
  return texts.find((text) => lengthOf(text) <= signs)
}
