import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
import { noCompanionFor, systemsIn } from '@muster/contract/computer-types.ts'
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

/** The beginning of a sentence about platforms whose companion needs no more than a Node on the server. */
export const noneHereFor = (types: readonly DeviceType[]): string =>
  `This server makes no companion for ${systemsIn(types)} yet`

/** Why a type of computer has no companion, as the beginning of a sentence, and what would bring it one. */
export type NoCompanion = { readonly words: string; readonly missing: readonly MissingNode[] }

/** Undefined where this server makes a companion for the type, and until that is known. */
export function useNoCompanion(type: DeviceType): NoCompanion | undefined {
  const platforms = useCompanionPlatforms()
  if (!platforms) return undefined
  const words = noCompanionFor(
    platforms.data.map((made) => made.device_type),
    [type],
  )
  const missing = missingFor(platforms, type)
  return words === undefined ? undefined : { words: missing.length > 0 ? noneHereFor([type]) : words, missing }
}
