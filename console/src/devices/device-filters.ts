import { type CompanionStanding, type DeviceSort, deviceSorts } from '@muster/contract/console-values.ts'
import type { DeviceView, DeviceViewFilter } from '@muster/contract/console-views.ts'
import type { AuthenticationMode } from '@muster/contract/device-authentication-modes.ts'
import {
  given,
  keysOf,
  readAfter,
  readChoice,
  readChoices,
  readId,
  readPastDay,
  readText,
  sentenceOf,
} from '../components/read-filters.ts'
import { type Standing, standingWords } from '../components/state-shape.tsx'
import { dayName } from '../components/times.ts'
import { companionWords } from './companion-words.ts'
import { type IdentityDoubt, identityWords } from './identity-doubts.ts'
import { modeWords } from './sign-in-modes.ts'

export const platforms: readonly DeviceView['device_type'][] = ['Mac', 'Windows', 'Linux', 'iOS', 'Android']
const standings = Object.keys(standingWords) as readonly Standing[]
export const pageSizes = [25, 50, 100] as const
const defaultPageSize = 50

/** What stands in the address of the list; everything that is left out is its default. */
export type DeviceFilters = {
  readonly view?: ViewName
  readonly state?: string
  readonly platform?: string
  readonly owner?: 'registered' | 'none'
  /** Who may sign in with it. */
  readonly mode?: AuthenticationMode
  /** Why its identity is in doubt. */
  readonly identity?: IdentityDoubt
  /** How it stands with its companion. */
  readonly companion?: CompanionStanding
  /** Identifier of a device group. */
  readonly group?: string
  readonly q?: string
  readonly sort?: DeviceSort
  readonly per?: string
  readonly after?: string
  /** A day in UTC that is over: the devices as they stood at its end. */
  readonly as_of?: string
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

/** What a day that is over has: no deadlines are kept of it. */
export const viewsOfDay: readonly ViewName[] = ['attention', 'blocked', 'silent']
const sortsOfDay: readonly DeviceSort[] = ['name', '-name']

/** The filters of an address; what they cannot mean is dropped. */
export function readDeviceFilters(raw: Readonly<Record<string, unknown>>): DeviceFilters {
  const day = readPastDay(raw, 'as_of')
  const per = pageSizes.find((size) => size !== defaultPageSize && String(size) === raw['per'])
  return given({
    view: readChoice(raw, 'view', day === undefined ? keysOf(views) : viewsOfDay),
    state: readChoices(raw, 'state', standings),
    platform: readChoices(raw, 'platform', platforms),
    owner: readChoice(raw, 'owner', ['registered', 'none'] as const),
    mode: readChoice(raw, 'mode', keysOf(modeWords)),
    identity: readChoice(raw, 'identity', keysOf(identityWords)),
    companion: readChoice(raw, 'companion', keysOf(companionWords)),
    group: readId(raw, 'group'),
    q: readText(raw, 'q'),
    sort: readChoice(raw, 'sort', day === undefined ? deviceSorts : sortsOfDay),
    as_of: day,
    per: per === undefined ? undefined : String(per),
    ...readAfter(raw),
    from: raw['after'] && /^\d{1,7}$/.test(String(raw['from'])) ? String(raw['from']) : undefined,
  })
}

export const pageSizeOf = ({ per }: DeviceFilters): number => Number(per ?? defaultPageSize)

/** What the server is asked for. */
export function filterOf({
  view,
  state,
  platform,
  owner,
  mode,
  identity,
  companion,
  group,
  q,
  as_of,
}: DeviceFilters): DeviceViewFilter {
  const { text: _text, ...wanted }: DeviceViewFilter & { text?: string } = view ? views[view] : {}
  return given({
    ...wanted,
    ...given({ standing: state }),
    platform,
    owner,
    mode,
    identity,
    companion,
    group_id: group,
    search: q,
    as_of,
  }) as DeviceViewFilter
}

const companionInWords: Readonly<Record<CompanionStanding, string>> = {
  linked: 'its companion is linked',
  linking: 'its companion waits for its link',
  none: 'it has no companion',
  seen_twice: 'the key of its companion was seen twice',
}

/** The filters in words, for when nothing is found. */
export const filtersInWords = (filters: DeviceFilters): string => {
  const { view, state, platform, owner, mode, identity, companion, group, q, as_of } = filters
  return sentenceOf([
    view && `The view is ${views[view].text}`,
    as_of && `it is as of ${dayName(as_of)}`,
    state &&
      `state is ${state
        .split(',')
        .map((name) => standingWords[name as Standing])
        .join(' or ')}`,
    platform && `platform is ${platform.split(',').join(' or ')}`,
    owner && (owner === 'none' ? 'nobody owns it' : 'someone owns it'),
    mode && `who may sign in is ${modeWords[mode].toLowerCase()}`,
    identity && `its identity is in doubt: ${identityWords[identity].toLowerCase()}`,
    companion && companionInWords[companion],
    group && 'it is in the chosen group',
    q && `text contains “${q}”`,
  ])
}
