import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import { type InventoryQuery, inventoryQueries } from './catalogue/catalogue.ts'

/** Name of a scheduled or first query. */
export const inventoryQueryName = ({ table, version }: InventoryQuery): string => `report/${table.name}/${version}`

const form = /^report\/([a-z_]{1,63})\/([0-9a-f]{12})$/

/** The query of this name, if it is the one that devices of the platform are asked now. */
export function findInventoryQuery(platform: OsqueryPlatform, name: string): InventoryQuery | undefined {
  const [, tableName = '', version] = form.exec(name) ?? []
  const query = inventoryQueries[platform].get(tableName)
  return query?.version === version ? query : undefined
}

/** True for the name of any query of ours for reporting, an outdated one included. */
export const isInventoryQueryName = (name: string): boolean => form.test(name)

/** The part of osquery's configuration that has every table of a platform reported whole, again and again. */
export const inventorySchedule = (platform: OsqueryPlatform) =>
  Object.fromEntries(
    [...inventoryQueries[platform].values()].map((query) => [
      inventoryQueryName(query),
      { query: query.sql, interval: query.table.intervalSeconds, snapshot: true, platform },
    ]),
  )

/** What a device that has just enrolled is asked at once, without waiting for its schedule. */
export const firstRoundOf = (platform: OsqueryPlatform): readonly InventoryQuery[] => [
  ...inventoryQueries[platform].values(),
]

const platformOfType: Readonly<Record<string, OsqueryPlatform>> = { Mac: 'darwin', Linux: 'linux', Windows: 'windows' }

/** Undefined for what osquery does not run on. */
export const platformOf = (deviceType: string): OsqueryPlatform | undefined => platformOfType[deviceType]
