import type { LiveQueryCampaignChange } from '@muster/contract/live-queries.ts'

export type Platform = 'all' | 'Mac' | 'Windows' | 'Linux'

/** What a campaign is aimed at: devices by name, in order of identifier, and kinds of computers. */
export type Targets = { readonly deviceIds: readonly string[]; readonly platforms: readonly Platform[] }

export const noTargets: Targets = { deviceIds: [], platforms: [] }

const flags = {
  target_all_devices: 'all',
  target_macs: 'Mac',
  target_windows_devices: 'Windows',
  target_linux_devices: 'Linux',
} as const satisfies Partial<Record<keyof LiveQueryCampaignChange, Platform>>

/** The targets that a request asks for: what it leaves out stays as it was. `idOf` reads an identifier of a body. */
export function wantedTargets(
  request: Omit<LiveQueryCampaignChange, 'sql' | 'name'>,
  before: Targets,
  idOf: (input: string | number) => string,
): Targets {
  const named = request.targeted_device_ids?.map(idOf)
  const platforms = Object.entries(flags).flatMap(([flag, platform]) => {
    const wanted = request[flag as keyof typeof flags] ?? before.platforms.includes(platform)
    return wanted ? [platform] : []
  })
  return { deviceIds: named ? inOrder(named) : before.deviceIds, platforms }
}

const inOrder = (ids: readonly string[]): string[] =>
  [...new Set(ids)].toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1))

export const isSameTargets = (one: Targets, other: Targets): boolean =>
  one.deviceIds.join() === other.deviceIds.join() && one.platforms.join() === other.platforms.join()

/** Phones and tablets run no osquery. */
export const computerTypes = ['Mac', 'Windows', 'Linux'] as const

export const targetedTypes = ({ platforms }: Targets): readonly (typeof computerTypes)[number][] =>
  computerTypes.filter((type) => platforms.includes('all') || platforms.includes(type))
