import type { CheckViewFilter } from '@muster/contract/console-checks.ts'
import { strategyWords } from '../components/strategy-words.ts'
import { kindWords, platformWords } from './check-words.ts'

export const stateWords = { failing: 'Failing somewhere', passing: 'Passing everywhere', paused: 'Paused' } as const

type Values = Omit<Required<CheckViewFilter>, 'search'>

/** What stands in the address of the list. */
export type CheckFilters = Partial<Values> & { readonly q?: string; readonly after?: string }

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const oneOf = <Value extends string>(words: Readonly<Record<Value, string>>, value: unknown): Value | undefined =>
  typeof value === 'string' && Object.hasOwn(words, value) ? (value as Value) : undefined

/** The filters of an address; what they cannot mean is dropped. */
export function readCheckFilters(raw: Readonly<Record<string, unknown>>): CheckFilters {
  const tag = /^\d{1,18}$/.test(String(raw['tag'])) ? String(raw['tag']) : undefined
  const read = {
    q: text(raw['q'])?.slice(0, 200),
    platform: oneOf(platformWords, raw['platform']),
    strategy: oneOf(strategyWords, raw['strategy']),
    kind: oneOf(kindWords, raw['kind']),
    state: oneOf(stateWords, raw['state']),
    tag,
    after: text(raw['after']),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

/** The filters in words, for when nothing is found. */
export function checkFiltersInWords({ q, platform, strategy, kind, state, tag }: CheckFilters): string {
  const words = [
    platform && `it runs on ${platformWords[platform]}`,
    strategy && `its strategy is ${strategyWords[strategy]}`,
    kind && `it is ${kind === 'catalogue' ? 'of the catalogue' : kind === 'own' ? 'your own' : 'external'}`,
    state && `it is ${stateWords[state].toLowerCase()}`,
    tag && 'it has the tag',
    q && `it holds “${q}”`,
  ].filter(Boolean)
  const sentence = words.join(', and ')
  return sentence === '' ? '' : `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`
}

export const readResultFilters = (raw: Readonly<Record<string, unknown>>) => {
  const status = text(raw['status'])
  const known = ['passing', 'failing', 'unknown', 'errored', 'stale', 'pending', 'out_of_scope', 'inapplicable']
  const kept = status?.split(',').filter((one) => known.includes(one)) ?? []
  const [q, after] = [text(raw['q'])?.slice(0, 200), text(raw['after'])]
  return {
    ...(kept.length > 0 && { status: [...new Set(kept)].join(',') }),
    ...(q !== undefined && { q }),
    ...(after !== undefined && { after }),
  }
}

export const readCatalogueFilters = (raw: Readonly<Record<string, unknown>>) => {
  const q = text(raw['q'])?.slice(0, 200)
  const platform = oneOf(platformWords, raw['platform'])
  const enabled = oneOf({ enabled: '', available: '' }, raw['enabled'])
  return {
    ...(q !== undefined && { q }),
    ...(platform !== undefined && { platform }),
    ...(enabled !== undefined && { enabled }),
  }
}
