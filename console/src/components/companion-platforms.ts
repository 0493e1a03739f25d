import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import { noCompanionFor } from '@muster/contract/computer-types.ts'
import type { DeviceType } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'

export const companionPlatformsQuery = query('getCompanionPlatforms')

/** The platforms that this server makes a companion for; undefined until that is known. */
export const useCompanionPlatforms = (): CompanionPlatforms['data'] | undefined =>
  useQuery(companionPlatformsQuery).data?.data

/** The beginning of a sentence about those of the platforms that no companion is made for; undefined where each has one. */
export function useNoCompanion(wanted?: readonly DeviceType[]): string | undefined {
  const made = useCompanionPlatforms()?.map(({ device_type: type }) => type)
  return made && noCompanionFor(made, wanted)
}
