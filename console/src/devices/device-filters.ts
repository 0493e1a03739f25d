import type { DeviceView, DeviceViewFilter } from '@muster/contract/console-views.ts'
import { type Standing, standingWords } from '../components/state-shape.tsx'

export const platforms: readonly DeviceView['device_type'][] = ['Mac', 'Windows', 'Linux', 'iOS', 'Android']
export const standings = Object.keys(standingWords) as readonly Standing[]
export const pageSizes = [25, 50, 100] as const
const defaultPageSize = 50

/** What stands in the address of the list; everything that is left out is its default. */
export type DeviceFilters = {
  readonly view?: ViewName
  readonly state?: string
  readonly platform?: string
  readonly owner?: 'registered' | 'none'
  readonly q?: string
  readonly per?: string
  readonly after?: string
  /** How many rows stand before this page, for the count below it. */
  readonly from?: string
}

export const views = {
  attention: { text: 'Needs attention', standing: 'blocked,will_block,notified' },
  blocked: { text: 'Blocked', standing: 'blocked' },
  soon: { text: 'Blocks within 24 h', within: '24h' },
  silent: { text: 'Stale or never', standing: 'stale,never' },
} as const satisfies Readonly<Record<string, DeviceViewFilter & { readonly text: string }>>

export type ViewName = keyof typeof views

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function knownOf(value: unknown, known: readonly string[]): string | undefined {
  const kept = (text(value) ?? '').split(',').filter((part) => known.includes(part))
  return kept.length > 0 ? [...new Set(kept)].join(',') : undefined
}

const without = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** The filters of an address; what they cannot mean is dropped. */
export function readDeviceFilters(raw: Readonly<Record<string, unknown>>): DeviceFilters {
  const view = Object.keys(views).find((name): name is ViewName => name === raw['view'])
  const owner = raw['owner'] === 'registered' || raw['owner'] === 'none' ? raw['owner'] : undefined
  const per = pageSizes.find((size) => size !== defaultPageSize && String(size) === raw['per'])
  return without({
    view,
    state: knownOf(raw['state'], standings),
    platform: knownOf(raw['platform'], platforms),
    owner,
    q: text(raw['q'])?.slice(0, 200),
    per: per === undefined ? undefined : String(per),
    after: text(raw['after']),
    from: /^\d{1,7}$/.test(String(raw['from'])) ? String(raw['from']) : undefined,
  })
}

export const pageSizeOf = ({ per }: DeviceFilters): number => Number(per ?? defaultPageSize)

/** What the server is asked for. */
export function filterOf({ view, state, platform, owner, q }: DeviceFilters): DeviceViewFilter {
  const { text: _text, ...wanted }: DeviceViewFilter & { text?: string } = view ? views[view] : {}
  return without({ ...wanted, ...without({ standing: state }), platform, owner, search: q }) as DeviceViewFilter
}

/** The filters in words, for when nothing is found. */
export function filtersInWords({ view, state, platform, owner, q }: DeviceFilters): string {
  const words = [
    view && `The view is ${views[view].text}`,
    state &&
      `state is ${state
        .split(',')
        .map((name) => standingWords[name as Standing])
        .join(' or ')}`,
    platform && `platform is ${platform.split(',').join(' or ')}`,
    owner && (owner === 'none' ? 'nobody owns it' : 'somebody owns it'),
    q && `something holds “${q}”`,
  ].filter(Boolean)
  const sentence = words.join(', and ')
  return sentence === '' ? '' : `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`
}
