import type { CheckResult } from '@muster/contract/check-results.ts'
import type { CheckView } from '@muster/contract/console-checks.ts'
import type { MarkName } from '../components/state-shape.tsx'

export const platformWords = { darwin: 'macOS', windows: 'Windows', linux: 'Linux' } as const
export const kindWords = { catalogue: 'Catalogue', own: 'Own', external: 'External' } as const

type Status = CheckResult['status']

/** What troubles most comes first. */
export const resultWords: Readonly<Record<Status, { mark: MarkName; word: string }>> = {
  failing: { mark: 'cross', word: 'Failing' },
  errored: { mark: 'warning', word: 'Errored' },
  unknown: { mark: 'question', word: 'Unknown' },
  stale: { mark: 'clock', word: 'Stale' },
  pending: { mark: 'pending', word: 'Pending' },
  out_of_scope: { mark: 'struck', word: 'Out of scope' },
  passing: { mark: 'tick', word: 'Passing' },
  inapplicable: { mark: 'dash', word: 'Inapplicable' },
}

export const platformsOf = ({ platforms, kind }: CheckView): string =>
  platforms.length === 0 && kind === 'external'
    ? 'Every device'
    : platforms.map((name) => platformWords[name]).join(', ')

type Counts = Pick<CheckView, 'counted' | 'passing' | 'failing' | 'errored' | 'unknown' | 'stale' | 'pending'>

/** Whole percent, cut off as in the API; undefined until a device passes or fails: 0 % would say that all fail. */
export const percentOf = ({ passing, failing, counted }: Pick<Counts, 'passing' | 'failing' | 'counted'>) =>
  passing + failing === 0 ? undefined : Math.floor((passing * 100) / counted)

/** Devices of which it is not known whether they pass. */
export const undecidedOf = ({ errored, unknown, stale, pending }: Counts): number => errored + unknown + stale + pending

/** "2 errored, 11 unknown, 219 pending"; empty where all is known. */
export const undecidedText = (counts: Counts): string =>
  (['errored', 'unknown', 'stale', 'pending'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status].toLocaleString('en')} ${status}`)
    .join(', ')

export const devices = (count: number): string => (count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`)
export const people = (count: number): string => (count === 1 ? '1 person' : `${count.toLocaleString('en')} people`)
