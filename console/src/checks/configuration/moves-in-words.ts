import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { devices } from '../check-words.ts'

/** "1 device becomes Blocked, 2 devices move to Will Block with a deadline"; blank where none moves. */
export const movesInWords = ({ blocked, will_block, notified, good }: ConfigurationPreview['moves']): string =>
  [
    doing(blocked, 'becomes', 'become', 'Blocked'),
    doing(will_block, 'moves', 'move', 'to Will Block with a deadline'),
    doing(notified, 'moves', 'move', 'to Notified'),
    doing(good, 'becomes', 'become', 'Good'),
  ]
    .filter(Boolean)
    .join(', ')

const doing = (count: number, one: string, many: string, what: string): string =>
  count === 0 ? '' : `${devices(count)} ${count === 1 ? one : many} ${what}`

export const releasedInWords = (count: number): string =>
  count === 1 ? '1 device that is blocked today is released.' : `${devices(count)} that are blocked today are released.`
