import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import { systemsIn } from '@muster/contract/computer-types.ts'
import type { DeviceType } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'

export const companionPlatformsQuery = query('getCompanionPlatforms')

/** Where this server makes a companion, and what would bring it to more computers; undefined until that is known. */
export const useCompanionPlatforms = (): CompanionPlatforms | undefined => useQuery(companionPlatformsQuery).data

export type MissingNode = CompanionPlatforms['missing'][number]

/** What the operator can add so that there are packages for more computers of this type. */
export const missingFor = ({ missing }: CompanionPlatforms, type: DeviceType): MissingNode[] =>
  missing.filter(({ device_type: of }) => of === type)

/** The beginning of a sentence about platforms that there is no package of a companion for; one may need no more than a Node. */
export const noneHereFor = (types: readonly DeviceType[]): string =>
  `This server makes no companion for ${systemsIn(types)} yet`

/** Why a type of computer has no companion, as the beginning of a sentence, and what would bring it one. */
export type NoCompanion = { readonly words: string; readonly missing: readonly MissingNode[] }

/** Undefined where this server makes a companion for the type, and until that is known. */
export function useNoCompanion(type: DeviceType): NoCompanion | undefined {
  const platforms = useCompanionPlatforms()
  if (!platforms) return undefined
  if (platforms.data.some((made) => made.device_type === type)) return undefined
  return { words: noneHereFor([type]), missing: missingFor(platforms, type) }
}
