import type { CheckViewFilter } from '@muster/contract/console-checks.ts'
import { type CheckSort, checkSorts } from '@muster/contract/console-values.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import {
  given,
  keysOf,
  readAfter,
  readChoice,
  readChoices,
  readId,
  readText,
  sentenceOf,
} from '../components/read-filters.ts'
import { kindWords, platformWords } from './check-words.ts'

export const stateWords = {
  failing: 'Failing somewhere',
  undecided: 'Without a result somewhere',
  passing: 'Passing everywhere',
  paused: 'Paused',
} as const

type Values = Omit<Required<CheckViewFilter>, 'search'>

/** What stands in the address of the list. */
export type CheckFilters = Partial<Values> & {
  readonly q?: string
  readonly sort?: CheckSort
  readonly after?: string
}

/** The filters of an address; what they cannot mean is dropped. */
export const readCheckFilters = (raw: Readonly<Record<string, unknown>>): CheckFilters =>
  given({
    q: readText(raw, 'q'),
    platform: readChoice(raw, 'platform', keysOf(platformWords)),
    strategy: readChoice(raw, 'strategy', keysOf(strategyWords)),
    kind: readChoice(raw, 'kind', keysOf(kindWords)),
    state: readChoice(raw, 'state', keysOf(stateWords)),
    tag: readId(raw, 'tag'),
    sort: readChoice(raw, 'sort', checkSorts),
    ...readAfter(raw),
  })

/** The filters in words, for when nothing is found. */
export const checkFiltersInWords = ({ q, platform, strategy, kind, state, tag }: CheckFilters): string =>
  sentenceOf([
    platform && `it runs on ${platformWords[platform]}`,
    strategy && `its strategy is ${strategyWords[strategy]}`,
    kind && `it is ${kind === 'catalogue' ? 'of the catalogue' : kind === 'own' ? 'your own' : 'external'}`,
    state && `it is ${stateWords[state].toLowerCase()}`,
    tag && 'it has the tag',
    q && `text contains “${q}”`,
  ])

const resultStates = ['passing', 'failing', 'unknown', 'errored', 'stale', 'pending', 'out_of_scope', 'inapplicable']

export const readResultFilters = (raw: Readonly<Record<string, unknown>>) =>
  given({ status: readChoices(raw, 'status', resultStates), q: readText(raw, 'q'), ...readAfter(raw) })

export const readCatalogueFilters = (raw: Readonly<Record<string, unknown>>) =>
  given({
    q: readText(raw, 'q'),
    platform: readChoice(raw, 'platform', keysOf(platformWords)),
    enabled: readChoice(raw, 'enabled', ['enabled', 'available'] as const),
  })
