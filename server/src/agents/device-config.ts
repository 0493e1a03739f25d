import type { OsqueryPlatform } from '../reporting/reporting-table.ts'
import { inventorySchedule } from '../reporting/schedule-inventory.ts'
import { fractionOf } from './due-rules.ts'

/** Devices that started together poll together, as osquery has no splay of its own: so their intervals differ. */
const variants = 12
const pollSeconds = 60

const texts = new Map<string, string>()

/** The configuration of a device as JSON text, one text for all that have the same; `undefined` reports nothing. */
export function deviceConfig(deviceId: string, reportsAs: OsqueryPlatform | undefined): string {
  const variant = Math.floor(fractionOf(deviceId) * variants)
  const key = `${reportsAs} ${variant}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const made = JSON.stringify({
    options: {
      distributed_interval: pollSeconds + variant,
      disable_distributed: false,
      logger_tls_period: pollSeconds + variant,
      logger_tls_max_lines: 128,
      schedule_splay_percent: 10,
      pack_delimiter: '/',
    },
    schedule: reportsAs ? inventorySchedule(reportsAs) : {},
    packs: {},
    node_invalid: false,
  })
  texts.set(key, made)
  return made
}
